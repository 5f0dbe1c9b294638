# -o writes the same document as --json, replaces an older one, leaves nothing else; "-" is stdout.
hiersearch predict abci --np 8 -q -o result.json | sed -n 4p
same() { sed '/"created"/d; /"command"/d'; }
same <result.json >written
hiersearch predict abci --np 8 --json | same | cmp - written
hiersearch predict abci --np 8 -o - | same | cmp - written
echo old >result.json
hiersearch predict abci --np 8 -q -o result.json >/dev/null
same <result.json | cmp - written
ls

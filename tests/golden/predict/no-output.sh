# Bad input writes nothing: an older file stays as it is.
echo old >result.json
hiersearch predict abci --np 8 --size 0 -o result.json
echo "exit $?"
hiersearch predict abcj --np 8 -o result.json
echo "exit $?"
hiersearch predict abci --np 8 --explain 3x3 -o result.json
echo "exit $?"
hiersearch predict abcj --np 8 -o new.json
cat result.json
ls

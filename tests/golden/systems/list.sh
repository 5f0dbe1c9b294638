# Two of the shipped ones, a folder of one's own in front of them, and a broken file there.
mkdir mine more
cat >mine/tiny.json <<'END'
{ "format": "hiersearch.system/1", "name": "tiny", "title": "Two boxes\u001b[31m of mine",
  "levels": [ { "name": "a", "arity": 4, "latency_us": 1, "bandwidth_GBps": 111.5,
                "source": { "latency": "measured", "bandwidth": "Unverified: a guess" } },
              { "name": "b", "arity": 2, "latency_us": 2, "bandwidth_GBps": 12.5 } ] }
END
sed 's/"tiny"/"abci"/' mine/tiny.json >more/abci.json
echo '{ "format": 1 }' >more/broken.json
# Names that are none are not listed.
for name in 'tiny x' '$(touch tiny-x)' "$(printf 'tiny-\033[31m')" tiny-A .tiny; do
    cp mine/tiny.json "mine/$name.json"
done
export HIERSEARCH_CONFIGS="$PWD/none:$PWD/mine:$PWD/more"
hiersearch systems 2>err | grep -E '^(system|tiny|abci|summit|levels)\b' | tr -s ' ' | grep -v '^abci-'
cat err
hiersearch systems --names | grep -E '^(tiny|abci|broken)$'
hiersearch systems --names | grep -c tiny
hiersearch systems --text tiny
# One array, whatever is in it.
hiersearch systems --json 2>/dev/null | python3 -c 'import json, sys; print(type(json.load(sys.stdin)).__name__)'

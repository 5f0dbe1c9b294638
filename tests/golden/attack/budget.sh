# --budget ends a search that would take minutes, with an answer and with what was not looked at.
unit() { sed 's/[0-9]* of [0-9]* plans of/MANY of ALL plans of/; s/from [0-9]* processes on/from SOME processes on/'; }
best() { hiersearch predict abci "$@" -k 1 -o r.json 2>&1 >/dev/null | grep -e --budget | unit; grep -c '"note": "--budget' r.json; rm r.json; }
best --np 1073741824 --search exhaustive --budget 50ms
best --np 735134400 --search containment --widen --beam 100 --budget 50ms
best --np 735134400 --chunks 2,4,8,16 --budget 1us
best --np 4096 --size 1MiB:4MiB --budget 1us
hiersearch predict abci --np 4:16 --json --budget 1us | wc -l
# Where the winner changes, and the ways to shard a model, are looked at as long as there is time.
hiersearch predict abci --np 735134400 --explain best --budget 1us 2>&1 >/dev/null
hiersearch predict abci --np 128 --explain best --budget 1us | grep -e runner-up -e Winner
hiersearch shard abci --np 16 --parameters 1B --budget 1us | grep -e Only -e '^ *[0-9]'
hiersearch shard abci --np 16 --parameters 1B --memory 10GB --budget 1us | sed -n 3,5p
hiersearch shard abci --np 16 --parameters 1B --budget 1h --format csv | wc -l
hiersearch predict abci --np 64 --budget 0s

try() { echo "\$ $*"; hiersearch predict "$@" --np 4 2>&1; echo "exit $?"; }
mkdir folder
try ./folder
try missing.json
try missing/x
truncate -s 1G big.json
try big.json
# Unreadable even for root.
try /proc/self/mem
: >empty.json
try empty.json
printf '{\n  "format": "hiersearch.system/1",\n  "name" "x"\n}\n' >syntax.json
try syntax.json
system() { printf '{ "format": "hiersearch.system/1", "name": "x", "levels": [ %s ] }' "$1" >"$2"; }
system '{ "name": "a", "arity": 4, "latency_us": 1, "bandwidth_GBps": 1 }, { "name": "b", "arity": 4, "latency_us": 1, "bandwidth_GBps": -1 }' negative.json
try negative.json
system '{ "name": "a", "arity": 4, "latency_us": 1, "bandwith_GBps": 1 }' typo.json
try typo.json
system '' nolevels.json
try nolevels.json
python3 -c 'print("[" * 100000)' >bomb.json
try bomb.json
mkfifo pipe.json
try pipe.json
# A file of another kind: that is said, not which of its keys a system has not.
hiersearch predict abci --np 8 -q -o result.json >/dev/null
try result.json

try() { echo "\$ $*"; hiersearch predict "$@" 2>&1; echo "exit $?"; }
try abci --np 4 --topp 3
try abci --np 4 -x
try abci --np 4 --top 0
try abci --np 4 --top 10001
try abci --np 4 --json=yes
try abci --np 4 --json --json
try abci summit --np 4
try abci --np 4 --search latice
try abci --np 4 --search frobnicate
try abci --np 4 --beam 4
try abci --np 4 --widen
try abci --np 4 --search containment --beam 0
try abci --np 4 --chunks 1,,2
try abci --np 4 --chunks 0,1
try abci --np 4 --chunks 2,2
try abci --np 4 --chunks 1025
try abci --np 4:8 --explain best
try abci --np 4 --size 1MiB:2MiB --explain best
try abci --np 4 --explain best --json
try abci --np 2147483648 --chunks "$(seq -s, 1 65)"

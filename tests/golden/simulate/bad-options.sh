try() { echo "\$ $*"; hiersearch simulate "$@" 2>&1; echo "exit $?"; }
try
try abci
try abci --np 0
try abci --np 1
try abci --np 16385
try abci --np 4:16
try abcy --np 16
try abci --np 16 --size 1MiB:2MiB
try abci --np 16 --size 65GiB
try abci --np 16 --all --top 3
try abci --np 16 --all 4x4
try abci --np 16 --top 3 4x4
try abci --np 16 --chunks 2 4x4
try abci --np 16 --chunks 0
try abci --np 16 -o nowhere/result.json
try abci --mesh tp=2,dp=8
try abci --np 8 --mesh tp=2,dp=8 --group dp
try abci --mesh tp=2,dp=16384 --group dp
try abci --mesh tp=2,pp=2,dp=4 --group tp,dp 4x2

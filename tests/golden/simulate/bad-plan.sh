try() { echo "\$ $*"; hiersearch simulate abci --np 16 "$@" 2>&1; echo "exit $?"; }
try 4x5
try 4x4 quick
try 4x4/0
try 4x4 2x8 4x4/1

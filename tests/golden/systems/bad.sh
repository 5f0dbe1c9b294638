try() { echo "\$ hiersearch systems $*"; hiersearch systems "$@" 2>&1; echo "exit $?"; }
try abcj
try --text
try --text --json abci
try abci --names
try a:4@fast

try() { echo "\$ hiersearch systems $*"; hiersearch systems "$@" 2>&1; echo "exit $?"; }
try abcj
try --text
try --text --json abci
try abci --names
try a:4@fast
try abci --name Mine
try --name mine
try --name mine abci --text
try --parts --name mine
try --check abci --name mine
try --here --check
try abci --width 20

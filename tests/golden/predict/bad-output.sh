try() { echo "\$ $*"; hiersearch predict abci "$@" 2>&1; echo "exit $?"; }
mkdir folder
try --np 4 -o folder
try --np 4 -o missing/x.json
try --np 4 -o ''
try --np 4 -o
try --np 4 -o --json
try --np 4:8 -o x.json
try --np 4 -o /dev/full
ls

try() { echo "\$ hiersearch $*"; hiersearch "$@" 2>&1; echo "exit $?"; }
try predcit
try frobnicate
try --frob
try help predcit
try completion bsh
try completion
try systems a b

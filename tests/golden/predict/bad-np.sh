try() { echo "\$ --np $*"; hiersearch predict abci --np "$@" 2>&1; echo "exit $?"; }
for np in 0 -4 four 12.5 2147483649 3000000000 99999999999999999999 '' ' 4' 4x 0x10 4: :4 8:4 4:8:16; do
    try "$np"
done
try 4 --np 8
echo '$ none'
hiersearch predict abci 2>&1
echo "exit $?"

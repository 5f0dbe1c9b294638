try() { echo "\$ --explain $*"; hiersearch predict abci --np 128 --explain "$@" 2>&1; echo "exit $?"; }
for plan in 4x8 128x1 1x128 4x1x32 4x0x32 4xx32 x4 4x32x 4x-32 bset '' 4x32/0 4x32/1025 4x32/ 4x32/2/2 '4x32 '; do
    try "$plan"
done

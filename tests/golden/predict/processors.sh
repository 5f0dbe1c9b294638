# Ranks of a node share its memory; a verdict on such nodes needs nearly all of the range, and its library may not be known.
try() { echo "\$ $*"; hiersearch predict "$@" 2>&1; echo "exit $?"; }
try '96xMilan, 1xHDR100, 32:1; library=cray-mpich' --np 384 --size 64KiB,16MiB
try '96xMilan, 1xHDR100, 32:1; library=openmpi-han' --np 384 --size 1MiB --top 2
try '96xMilan, 1xHDR100, 32:1' --np 384 --size 1MiB --top 2
try '96xMilan, 1xHDR100, 32:1; library=openmip' --np 384 --size 1MiB
try '8xH100, 8xNDR400, 32:1; library=openmpi' --np 384 --size 1MiB
hiersearch systems '96xGenoa, 1xETH100, 32:1; library=intelmpi'

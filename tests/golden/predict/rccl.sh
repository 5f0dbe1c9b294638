# RCCL's calls on one node and several, in its collectives; boards in slots with and without a word of what joins them.
try() { echo "\$ $*"; hiersearch predict "$@" 2>&1; echo "exit $?"; }
try 8xMI300X --np 8
try 8xMI355X --np 8 --size 64KiB --collective alltoall -k 1
try '8xMI300X, 8xRoCE400, 64:1' --np 64 --size 64MiB -k 2
try '8xMI250X, 4xSS11, 64:1' --np 256 --size 16MiB --collective reduce-scatter -k 1
try '8xMI325X, 8xRoCE400, 64:1' --np 16 --size 1MiB --samples 0 -k 2
try 8xRTXPRO6000 --np 8 -k 2
try 8xRTXPRO6000-switch --np 8 -k 1
try 8xRTX4090-p2p=no --np 8 -k 1
try 8xMI300X-switch --np 8

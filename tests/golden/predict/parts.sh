# A machine in the words of its order: the parts of a node, its NICs, the nodes under a switch and the taper behind it.
try() { echo "\$ $*"; hiersearch predict "$@" 2>&1; echo "exit $?"; }
try '8xH100, 8xNDR400, 32:2' --np 512 --size 64KiB --top 3
try '8xh100,8xndr400' --np 512 --size 25MB --top 1
try '4xA100-mesh, 4xSS11, 4:3' --np 64 --size 4MiB --top 2 # the outer layers share what leaves a switch
try '8xH100' --np 16
try '8xH10, 8xNDR400' --np 16
try '8xH100, 8xNDR, 32' --np 16
try '8xH100, 8xNDR400, 32:0.5' --np 16
hiersearch systems '8xH100, 8xNDR400, 32:2'
# No slot is near another; what there is no part of; a tray by itself, which a rack's is not.
try '8xH100-PCIe, 2xNDR400' --np 16
try '8xGTX1080, 8xNDR400' --np 16
hiersearch predict '4xGB200, 4xNDR400, 16:1' --np 8 --samples 0 2>&1 >/dev/null
hiersearch predict '72xGB200, 72xNDR400, 8:1' --np 72 --samples 0 2>&1 >/dev/null
# NCCL's rules by version; 14 lines of 80 columns.
try '8xH100, 8xNDR400; library=nccl-2.18.3' --np 256 --size 8MiB
try '8xH100, 8xNDR400; library=nccl-2.30.7' --np 256 --size 8MiB --format json | grep -A3 '"default": {'
for machine in perlmutter abci '8xH100, 8xNDR400' 8xRTXPRO6000 '96xMilan, 1xHDR100; library=openmpi' 8xMI300X; do
    COLUMNS=80 hiersearch predict "$machine" --np 8 | grep -v '^Next: ' | wc -lL
done

try() { echo "\$ hiersearch systems $*"; hiersearch systems "$@" 2>&1; echo "exit $?"; }
try --parts
try --parts --format csv | grep -e '^gpu,' -e '^nic,' -e '^parts,' -e '^B300,' -e '^FDR56,' -e EFA100
try --parts --format md | grep -e MI355X -e ETH100
try --parts abci
try --parts --names
try '8xMI300X, 8xRoCE400'
try '2xCPU, 1xHDR200, 16:2' --text
try '1xCPU, 1xHDR200' --text
# A line of parts stays one, or it would be another machine; what a line of levels leaves out is said.
try '8xH100, 8xNDR400, 32:2' --text
try dgx-h100-superpod --text

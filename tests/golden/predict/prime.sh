try() { echo "\$ $*"; hiersearch predict "$@" -k 1 2>&1; }
try 'nvlink:4@300GB/s~5us,ib@25GB/s~10us' --np 23 --size 64K
try 'ib@25GB/s~10us' --np 23 --size 64K
try abci --np 3
try abci --np 23 --quiet

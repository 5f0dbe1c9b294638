try() { echo "\$ $*"; hiersearch predict "$@" --np 4 2>&1; echo "exit $?"; }
try abcj
try sumit
try frobnicate
try ''
echo x >topo.txt && try topo.txt
try '8xH100 8xNDR400'
try 'a:4@100GB/s,b:4'
try 'a:4@100GB/s,b:4@fast'
try 'a@100GB/s,b:4@1GB/s'
try 'a:0@100GB/s'
try 'a:4@0GB/s'
try 'a:4@100GB/s;s=0'
try 'b@1e-300B/s'
echo '$ none'
hiersearch predict --np 4 2>&1
echo "exit $?"
echo '$ before'
hiersearch predict abci --np 64 --size 1MiB --compare-with dgx-h100-superpod 2>&1
echo "exit $?"

# Neither smpirun nor, for a program that lies alone, hiersearch-simulate.
program=$(command -v hiersearch)
PATH=/nowhere "$program" simulate abci --np 16 4x4 2>&1
echo "exit $?"
mkdir bin
printf '#!/bin/sh\n' >bin/smpirun
chmod +x bin/smpirun
cp "$program" bin/hiersearch
PATH=$PWD/bin bin/hiersearch simulate nvlink:4@100GB/s,ib@10GB/s --np 16 4x4 2>&1
echo "exit $?"

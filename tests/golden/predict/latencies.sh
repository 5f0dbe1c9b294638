# What a line of text does not say is taken from the levels' names, and said.
try() { echo "\$ $*"; hiersearch predict "$@" --np 128 --size 64KiB -k 1 2>&1 | sed -n '/^\(Use\|Keep\|Cannot\)/p;/note/p'; }
try 'nvlink:8@300GB/s,ib@25GB/s'
try 'nvlink:8@300GB/s~3.4us,ib@25GB/s~14us'
try 'nvlink:8@300GB/s~3.4us,ib@25GB/s'
try 'nvlink:8@300GB/s~3.4us,ib@25GB/s~3.4us'
try 'a:8@300GB/s,ib2@25GB/s'
try 'a:8@300GB/s,ibex@25GB/s'
try 'nvlink:8@300GB/s,ib@25GB/s' --quiet

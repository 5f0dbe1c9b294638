# Reduce-scatter and allgather: the larger side is the size, the order says where blocks lie, and what cannot be is said in a line.
cluster='node:4@100GB/s~1us,ib@12GB/s~3us'
hiersearch predict "$cluster" --np 64 --size 1MiB --collective reduce-scatter -k 2 -q
hiersearch predict "$cluster" --np 64 --size 1MiB --collective reduce_scatter --layout reversed -k 2 -q
hiersearch predict "$cluster" --np 64 --size 64KiB:4MiB --collective AllGather --layout reversed -q
hiersearch predict "$cluster" --np 64 --size 1MiB --collective all-gather --explain 4x16 -q | sed -n 1,30p
hiersearch predict perlmutter --np 64 --size 16MiB --collective allgather --layout reversed -k 1 -q
hiersearch predict perlmutter --np 64 --size 16MiB --collective allgather --style nccl-tests -q
hiersearch predict "$cluster" --np 64 --size 1MiB --collective allgather -k 1 --json -q | grep -E '"(collective|order)"'
hiersearch predict "$cluster;library=mpich" --np 64 --size 1MiB --collective allgather -k 1 -q | sed -n '4,5p'
# What cannot be.
hiersearch predict "$cluster" --np 64 --collective gather
hiersearch predict "$cluster" --np 64 --collective allgather --layout inplace
hiersearch predict "$cluster" --np 64 --layout reversed
hiersearch predict "$cluster" --np 64 --collective allgather --chunks 1,2
hiersearch predict "$cluster" --np 64 --collective allgather --explain 4x16t
hiersearch predict "$cluster" --np 64 --collective allgather --explain 4x16/2
for collective in allreduce allgather; do
    hiersearch predict "$cluster" --np 64 --size 1MiB --collective $collective -q -o $collective.json >/dev/null
done
hiersearch export allgather.json --to jax
hiersearch plot allreduce.json allgather.json --kind scaling --csv
hiersearch plot allgather.json --kind layers --csv | grep title
hiersearch report allgather.json -o report.html && grep -oE 'AllGather[^<]*' report.html
hiersearch predict perlmutter --np 64 --size 16MiB --collective allgather --layout reversed -q -o split.json >/dev/null
hiersearch report split.json -o report.html && grep -oE 'means: [^<]*' report.html
hiersearch predict "$cluster" --np 64 --collective all-to-all --layout reversed
hiersearch predict "$cluster" --np 64 --size 16KiB --collective alltoall --algorithms all
hiersearch predict "$cluster" --np 64 --size 64MiB --collective all-to-all --explain 4x16h
hiersearch predict "$cluster" --np 64 --collective all-to-all --explain 4x16d
# Blocks in place by a copy, by the machine's figure and by the usual one, and by a call for each run: priced and searched.
for order in packed; do
    hiersearch predict "$cluster" --np 64 --size 16MiB --collective reduce-scatter --layout $order -k 2 -q
done
hiersearch predict "$cluster;copy=40GB/s" --np 64 --size 16MiB --collective allgather --layout packed -k 1 -q
hiersearch predict "$cluster" --np 64 --size 16MiB --collective allgather --layout packed --explain 4x16
hiersearch predict "$cluster;copy=fast" --np 64 --collective allgather --layout packed
hiersearch predict "$cluster" --np 64 --size 16MiB --collective allgather --layout packed -q -o packed.json >/dev/null
hiersearch export packed.json --to colors

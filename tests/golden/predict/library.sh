# Against what an MPI library does by its own rule, on the levels of a system: by its name, with its range, and kept below 3 %.
cluster='node:8@20GB/s~0.4us,ib@12GB/s~1.5us'
for library in mpich openmpi rccl; do
    for size in 1KiB 1MiB; do
        hiersearch predict "$cluster;library=$library" --np 64 --size $size -k 1 -q | sed -n '3,4p'
    done
done
hiersearch predict "$cluster;library=openmpi" --np 128 --size 64KiB -k 1 -q | sed -n '3,4p'
hiersearch predict "$cluster;library=mpich" --np 64 --size 1MiB --style nccl-tests -q
hiersearch predict "$cluster;library=mpich" --np 64 --size 1MiB --json -q | sed -n '/"default"/,/}/p'
# Rendezvous of MPI's calls, level by level; a system says either parts or another library; constants have the table's names.
cat >here.json <<'END'
{"format": "hiersearch.system/1", "name": "here", "library": "mpich", "levels": [
  {"name": "ib", "arity": null, "latency_us": 1.5, "bandwidth_GBps": 12, "eager_bytes": 16384, "rendezvous_us": 100}]}
END
for size in 16KiB 256KiB 1MiB; do # Rabenseifner's longest piece is half of it
    hiersearch predict ./here.json --np 16 --size $size -k 1 -q | sed -n 4p
done
sed 's/"mpich"/"nccl"/' here.json >wrong.json
hiersearch predict ./wrong.json --np 16
sed 's/"mpich",/"mpich", "constants": [{"name": "farr", "value": 1.2}],/' here.json >wrong.json
hiersearch predict ./wrong.json --np 16
sed 's/"library": "mpich",/"constants": [{"name": "far", "value": 1.2}],/' here.json >wrong.json
hiersearch predict ./wrong.json --np 16
# A reduce-scatter and an allgather: in place, whatever order the plan leaves blocks in; by ports and nodes; a machine of its own.
for library in mpich openmpi; do
    for call in 'reduce-scatter --layout natural' 'reduce-scatter --layout reversed' 'allgather --layout reversed'; do
        hiersearch predict "$cluster;library=$library" --np 64 --size 16MiB --collective $call -k 1 -q | sed -n '3,4p'
    done
done
hiersearch predict "$cluster;executor=host;library=openmpi" --np 64 --size 64KiB:64MiB --collective allgather --style nccl-tests -q
hiersearch predict leonardo --np 64 --size 1MiB --collective reduce-scatter -k 1 -q | sed -n '4,6p'
# An all-to-all, by a block; groups of a mesh, all at once.
for library in mpich openmpi; do
    for size in 16KiB 1MiB 64MiB; do
        hiersearch predict "$cluster;library=$library" --np 64 --size $size --collective all-to-all -k 1 -q | sed -n '3,4p'
    done
    for call in allreduce all-to-all; do
        hiersearch predict "$cluster;library=$library" --mesh tp=4,dp=16 --group dp --size 1MiB --collective $call -k 1 -q | sed -n '3,4p'
    done
done
hiersearch predict 'board:mesh:8@450GB/s~1us;library=mpich' --np 8 --size 64MiB --collective all-to-all -k 1 -q | sed -n '3,4p'
hiersearch predict 'ib@12GB/s;library=mpihc' --np 16

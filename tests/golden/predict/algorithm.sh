# What the library takes by an algorithm that it is made to run; none of its own, none that has a price.
for algorithm in ring tree nvlstree; do
    hiersearch predict '8xH100, 8xNDR400, 32:2' --np 64 --size 1MiB --top 1 --algorithm "$algorithm"
done
hiersearch predict '8xH100, 8xNDR400, 32:2' --np 64 --size 1MiB,1GiB --collective allgather --algorithm pat
hiersearch predict 'node:4@10GB/s~1us,ib@5GB/s~3us;library=mpich' --np 64 --size 1MiB --top 1 --algorithm tree
hiersearch predict 8xH100 --np 8 --size 64MiB --top 1 --op average
for type in int32 fp8; do hiersearch predict '8xH100, 8xNDR400' --np 64 --size 64MiB --top 1 --dtype $type | sed -n 3,4p; done
status=0
hiersearch predict '8xA100, 8xHDR200, 32:2' --np 64 --algorithm nvls || status=$?
hiersearch predict '8xH100, 8xNDR400, 32:2' --np 64 --algorithm nvsl || status=$?
hiersearch predict '8xMI300X, 8xNDR400, 32:2' --np 64 --algorithm tree || status=$?
hiersearch predict 'node:4@10GB/s~1us,ib@5GB/s~3us;library=mpich' --np 64 --algorithm nvls || status=$?
exit $status

# NCCL's kernels for registered buffers: of one node, between nodes, where there is none, and machines that have no NCCL.
hiersearch predict 8xB200 --np 8 --size 1KiB,64KiB --registered --top 1
hiersearch predict '8xH100, 8xNDR400, 32:2' --np 64 --size 16MiB --registered --top 1
sed -e 's/^  "parts": .*/&\n  "library_version": "2.30.7",/' "$SRC/configs/dgx-b200-superpod.json" >late.json
hiersearch predict late.json --np 64 --size 16MiB --collective allgather --registered --top 1
hiersearch predict late.json --np 8 --size 1GiB --collective allgather --registered --json | grep -e '"choice"' -e evidence -e '"advice"' -e '"registered"'
status=0
hiersearch predict 'node:4@10GB/s~1us,ib@5GB/s~3us;library=mpich' --np 64 --registered || status=$?
hiersearch predict '8xMI300X, 8xNDR400, 32:2' --np 64 --registered || status=$?
exit $status

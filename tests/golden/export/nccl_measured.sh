# What was measured with NCCL's own choice in each layer's communicator is not forced to rings; what mpi measured is.
for backend in mpi nccl nccl-graph nccl-symmetric; do
    sed "s/\"backend\": \"[a-z]*\"/\"backend\": \"$backend\"/" "$SRC/tests/record/good/full.json" >r.json
    hiersearch export r.json --to nccl-env --plan 4x2 --size 1000 2>/dev/null | tail -n 1
    hiersearch export r.json --to nccl-tuner 2>&1 | tail -n 1
done

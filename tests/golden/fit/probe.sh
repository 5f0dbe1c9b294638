# What gpu-probe says of a GPU limits what NCCL's calls move by what a kernel's blocks add.
figure() { printf '{"name": "%s", "bytes": %s, "count": %s, "seconds": %s}' "$1" "$2" "$3" "$4"; }
add='sum of two arrays by `count` blocks, float32' beside='copy on the device beside `count` waiting blocks'
probe() { # probe GPU SECONDS of one block for 64 MiB
    printf '{"format": "hiersearch.gpu-probe/1", "gpu": "%s", "driver": "CUDA 13.0", "processors": 132, "figures": [\n' "$1"
    printf '%s,\n%s,\n%s,\n%s\n]}\n' "$(figure "$add" 67108864 1 "$2")" "$(figure "$add" 67108864 32 "$2")" \
        "$(figure "$beside" 67108864 0 0.00005)" "$(figure "$beside" 67108864 24 0.0000505)"
}
probe 'NVIDIA H100 80GB HBM3' 0.01 > slow.json
probe 'NVIDIA H100 80GB HBM3' 0.0015 > fast.json
probe 'NVIDIA A100-SXM4-80GB' 0.0015 > other.json
hiersearch fit '8xH100, 8xNDR400, 32' slow.json -o here.json
hiersearch systems here.json | grep blocks
grep -A4 '"blocks"' here.json
hiersearch predict '8xH100, 8xNDR400, 32' --np 64 --size 256MiB --top 2 -q | grep '^ *[12] '
hiersearch predict here.json --np 64 --size 256MiB --top 2 -q | grep '^ *[12] '
hiersearch fit '8xH100, 8xNDR400, 32' fast.json -q -o fast-here.json
hiersearch predict fast-here.json --np 64 --size 256MiB --top 2 -q | grep '^ *[12] '
# With a log the constants move, too; and the answer is shown again where it is asked for.
printf 'call,np,nodes,bytes,us\nallreduce,16,2,67108864,520\nallreduce,32,4,67108864,560\n' > log.csv
hiersearch fit '8xH100, 8xNDR400, 32' slow.json log.csv -o both.json | sed -n 1,3p
grep -c '"blocks"\|"constants"' both.json
hiersearch fit '8xH100, 8xNDR400, 32' slow.json --for 64 --size 256MiB -o again.json | sed -n 1,3p
# What does not go together.
hiersearch fit '8xH100, 8xNDR400, 32' other.json -o other-here.json
hiersearch fit '8xH100, 8xNDR400, 32' slow.json fast.json -o out.json
hiersearch fit abci slow.json -o out.json
sed 's/sum of/product of/' slow.json > none.json
hiersearch fit '8xH100, 8xNDR400, 32' none.json -o out.json
sed 's/"processors"/"cores"/' slow.json > bad.json
hiersearch fit '8xH100, 8xNDR400, 32' bad.json -o out.json
ls

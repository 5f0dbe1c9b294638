# What people type: right, or one line with the nearest meaning.
size() {
    printf '%-14s' "$1"
    hiersearch predict abci --np 4 -k 1 --size "$1" --json 2>&1 | tr -d '\n' |
        grep -oE 'hiersearch predict: .*|"message_bytes" *: *[0-9]+' |
        sed 's/"message_bytes"[: ]*//' | tr '\n' ' '
    echo
}
for text in 64K 64k 1G 1g 25M 2T 64KB 64kb 25MB 25mb 1GB 1gb 1gib 1GIB 64kib 64Ki 1Mi 512b '8 bytes' 1.5K 1e6 0x10 64Mb 64Gb 1GBs 64KK \
    '64K,1M' '64K, 1M' 1G,25MB,1G 64K:256K,1G 1G, ,1G 1K:; do
    size "$text"
done
echo
type() {
    printf '%-14s' "$1"
    hiersearch predict abci --np 4 -k 1 --dtype "$1" --json 2>&1 | grep -oE 'hiersearch predict: .*|"dtype" *: *"[a-z0-9]*"'
}
for text in float fp32 f32 single double fp64 half fp16 float16 bf16 bfloat16 int8 float8 FP16 ''; do type "$text"; done
echo
line() {
    printf '%-30s' "$1"
    hiersearch predict "$1" --np 16 --size 1M -k 1 2>&1 | sed -n '1p;/^\(Use\|Keep\|Cannot\)/p' | tr '\n' ' '
    echo
}
for text in a:8@400Gbps,b@50GBps a:8@400Gbit/s,b@50GB/s a:8@400gbps,b@50GB/s a:8@400,b@50GB/s dgx-h100 dgx-h dgx h100 superpod abci summi frontear "DGX H100" "MareNostrum 5" ABCI; do
    line "$text"
done
echo
count() {
    printf '%-14s' "$1"
    hiersearch predict abci --np "$1" -k 1 --json 2>&1 | grep -oE 'hiersearch predict: .*|"np" *: *[0-9]+' | tr '\n' ' '
    echo
}
for text in 8,24,64 64,8 8:32,24 4K 16. 1e2 '8 16' 8,; do count "$text"; done

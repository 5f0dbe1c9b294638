# Where the system names its parts, stages are NCCL's calls, and the gain is over its own AllReduce.
for size in 64KiB 25MB 1GiB; do
    hiersearch predict dgx-h100-superpod --np 512 --size $size -k 2 -q | sed -n '4,10p'
done
hiersearch predict dgx-h100-superpod --np 512 --size 1MiB:8MiB -q
hiersearch predict dgx-h100-superpod --np 256:512 --size 1MiB:2MiB -q
hiersearch predict dgx-h100-superpod --np 512 --size 1MiB:2MiB -q --format csv | sed -n 1,1p
hiersearch predict dgx-h100-superpod --np 512 --size 64KiB -q --explain best | sed -n '/^Winner by message/,/^$/p'
hiersearch predict dgx-h100-superpod --np 512 --size 25MB -q -o r.json >/dev/null
hiersearch export r.json --to nccl-tuner
echo "exit $?"
hiersearch export r.json --to nccl-env 2>/dev/null | tail -n 1
sed 's/8xH100, 8xNDR400/8xH1000, 8xNDR400/' "$SRC/configs/dgx-h100-superpod.json" >wrong.json
hiersearch predict ./wrong.json --np 16
sed 's/8xH100, 8xNDR400/4xH100, 4xNDR400/' "$SRC/configs/dgx-h100-superpod.json" >few.json
hiersearch predict ./few.json --np 16
echo "exit $?"

# Trees on single links: PyTorch and MSCCL have them, what only says layers has the split, what names algorithms has no such trees.
hiersearch predict dgx1-v100 --gpus 0,1,4,6,7 --np 10 --size 256MiB --algorithms all -o links.json | sed -n 4,4p | cut -c1-12
for target in pytorch msccl jax rules nccl-tuner; do
    hiersearch export links.json --to "$target" -o out-$target >/dev/null
    echo "$target: exit $?"
done
grep -o 'nchunksperloop.*coll="[a-z]*"' out-msccl
grep -c type=.nop out-msccl
sed -n '/^RULES/,/^)/p; /^FORESTS/,/^}/p' out-pytorch | grep -v ' Tree('
hiersearch export links.json --to msccl --plan 2x5f
hiersearch export links.json --to pytorch --plan 5fx2h -o out-pytorch
hiersearch systems dgx1-v100 --json | sed 's/^  "levels"/  "parts": "8xV100",\n&/' >parts.json
hiersearch predict ./parts.json --np 8 --size 1MiB -o parts-result.json >/dev/null
hiersearch export parts-result.json --to rules --plan 8f
echo "exit $?"
hiersearch predict abci --np 8 --size 1MiB --algorithms forest
echo "exit $?"

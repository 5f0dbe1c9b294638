# Trees on single links: what only says layers has the split, what names algorithms has no such trees.
hiersearch predict dgx1-v100 --gpus 0,1,4,6,7 --np 10 --size 256MiB --algorithms all -o links.json | sed -n 4,4p | cut -c1-12
for target in pytorch msccl plans; do
    hiersearch export links.json --to "$target" -o out-$target >/dev/null
    echo "$target: exit $?"
done
hiersearch predict abci --np 8 --size 1MiB --algorithms forest
echo "exit $?"

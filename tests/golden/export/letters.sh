# A plan whose layers go by other algorithms than the ring: formats that cannot name them say so.
hiersearch predict 'a:4@100GB/s~1us,b@10GB/s~3us' --np 8 --size 1MiB --algorithms all --quiet -o r.json
for format in pytorch nccl-tuner msccl ucc astra-sim; do
    hiersearch export r.json --to $format -o out-$format
done
hiersearch export r.json --to simgrid -o platform.xml && echo exported

# What an export says of a reduce-scatter and an allgather: which block a rank has, and what its format cannot say.
cluster='node:4@100GB/s~1us,ib@12GB/s~3us'
for order in natural reversed; do
    hiersearch predict "$cluster" --np 8 --size 4MiB --collective reduce-scatter --layout $order -k 2 -q -o $order.json >/dev/null
    echo "== $order"
    hiersearch export $order.json --to colors --plan 4x2 -q | tr -d '\n ' | grep -oE '"phases.*"layers"'
    hiersearch export $order.json --to pytorch --plan 4x2 -q | grep -E '^(# reduce|COLLECTIVE|LAYOUT|SPLIT)'
    hiersearch export $order.json --to ompi-tuned --plan 4x2 -q | grep -v '^#'
    hiersearch export $order.json --to nccl-tuner --plan 4x2 -q | grep -E '^(reduces|allg)'
    for format in msccl ompi-tuned-json astra-sim jax mpich ucc; do
        hiersearch export $order.json --to $format --plan 4x2 -q 2>&1 | sed -n 1,12p | sed -n '1p;11p'
    done
done
hiersearch predict "$cluster" --np 8 --size 4MiB --collective allgather -k 2 -q -o allgather.json >/dev/null
hiersearch export allgather.json --to msccl --plan 4x2 -q | grep -E '<algo|gpu id="5"' | sed 's/minBytes.*//'
hiersearch export allgather.json --to pytorch --plan 4x2/2
hiersearch export allgather.json --to colors --plan 4x2t

# Of a result about groups of a mesh: what each format says, and which refuse it by name.
cluster='node:4@100GB/s~1us,ib@12GB/s~3us'
hiersearch predict "$cluster" --mesh tp=2,pp=2,dp=4 --group tp,dp --size 16MiB -k 1 -q -o gap.json >/dev/null
for format in astra-sim mpich nccl-env ompi-han simgrid ucc; do
    echo "== $format"
    hiersearch export gap.json --to $format --plan 2x4 -o $format >/dev/null
done
for format in ompi-tuned nccl-tuner msccl; do
    echo "== $format"
    hiersearch export gap.json --to $format --plan 2x4 | grep -E '^#? *(made|plan|[a-z-]* goes|layer|reduces|allr)|<algo|^[0-9]' | sed 's/minBytes.*//; s/ ([^)]*) from/ from/'
done
for format in pytorch jax; do
    echo "== $format"
    hiersearch export gap.json --to $format --plan 2x4 -q | grep -E '^(NP|MESH|OVER|SPLIT)'
done
hiersearch export gap.json --to colors --plan 2x4 -q | tr -d '\n ' | grep -oE '"group".*"phases"|"layers".*'
# A plan is of a group, and no layer spans the gap; groups over all axes are the whole job.
hiersearch export gap.json --to colors --plan 4x4
hiersearch export gap.json --to pytorch --plan 8
hiersearch predict "$cluster" --mesh tp=4,dp=4 --group tp,dp --size 16MiB -k 1 -q -o all.json >/dev/null
hiersearch export all.json --to mpich -q | grep -v '^#'

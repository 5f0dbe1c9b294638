# What a small asymmetric plan looks like in each format, the version left out.
hiersearch predict 'node:4@300GB/s~3us,net@25GB/s~5us' --np 8 --size 1MiB --json -q >result.json
version() { sed 's/made by hiersearch .* from/made by hiersearch VERSION from/'; }
for format in colors msccl; do
    echo "== $format"
    hiersearch export result.json --to "$format" --plan 4x2 | version
done
for format in astra-sim simgrid; do
    echo "== $format"
    hiersearch export result.json --to "$format" --plan 4x2 -o "$format"
    ls "$format"
done
version <astra-sim/network.yml
version <simgrid/platform.xml
cat simgrid/hostfile
# A machine that is a line of parts is called so, and where NCCL's default call is best, that is said.
hiersearch predict '8xH100, 8xNDR400, 32:2' --np 64 --size 64MiB --json -q >native.json
hiersearch export native.json --to pytorch | version | sed -n 1,4p

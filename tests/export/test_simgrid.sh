#!/bin/bash
# The exported platform in SimGrid itself: messages and ring layers take the time of the closed form, which is
# worked out here from the figures of the systems, not by our program.
set -u
here=$(cd "$(dirname "$0")" && pwd -P)
programs=$(realpath -m "${BUILD:-$here/../../build}")
for tool in smpicc smpirun awk; do
    command -v "$tool" >/dev/null || { echo "1..0 # SKIP no $tool"; exit 0; }
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1

# shellcheck source=tests/tap.sh
. "$here/../tap.sh"

# make_platform SYSTEM NP: exports into ./platform.
make_platform() {
    np=$2
    rm -rf platform
    "$programs/hiersearch" predict "$1" --np "$np" --json --quiet >result.json &&
        "$programs/hiersearch" export result.json --to simgrid --quiet -o platform
}

# simulate WHAT BYTES: seconds. The platform's own <config> must do; no --cfg here.
simulate() {
    smpirun -np "$np" -platform platform/platform.xml -hostfile platform/hostfile \
        --log=root.thres:warning ./ring_layers "$1" "$2" 2>simulate.err
}

# takes SENTENCE WHAT BYTES SECONDS: within 1 in 10,000 and 20 ns (SMPI's clock). SECONDS is an expression.
takes() {
    local got
    got=$(simulate "$2" "$3" | head -n 1)
    if awk -v got="$got" "BEGIN { m = 1048576; want = $4; d = got - want
            exit !(got > 0 && (d < 0 ? -d : d) <= 1e-4 * want + 2e-8) }"; then
        ok "$1"
    else
        not_ok "$1" "simulated ${got:-nothing} s, expected $(awk "BEGIN { m = 1048576; print $4 }") s;" \
            "$(tail -n 3 simulate.err)"
    fi
}

# 2 (p - 1) (latency + bytes / p / bandwidth) of a layer, as text for awk: layer P BYTES BANDWIDTH LATENCY
layer() { echo "(2 * ($1 - 1) * ($4 + $2 / $1 / $3))"; }

smpicc -O2 "$here/ring_layers.c" -o ring_layers 2>compile.err || {
    echo "Bail out! smpicc: $(head -n 3 compile.err)"
    exit 1
}

# ---- two NICs in a node, ranks assigned to them in blocks; a tapered spine ----
if make_platform 'nvlink:4@150GB/s~0.5us,rack:8@50GB/s~2.3us/2p!,spine@96GB/s~4.6us' 64; then
    ok "a platform of 64 processes is exported"
else
    not_ok "a platform of 64 processes is exported" <<<"export failed"
fi
takes "a message in a node has NVLink's latency and bandwidth" 0-3 1000000 '0.5e-6 + 1e6 / 150e9'
takes "a message between nodes has the rack's latency and one NIC" 3-4 1000000 '2.3e-6 + 1e6 / 25e9'
takes "a message between racks has the spine's latency and one NIC" 0-63 1000000 '4.6e-6 + 1e6 / 25e9'
takes "layer 1:4 has NVLink" 1:4 $((128 << 20)) "$(layer 4 '128*m' 150e9 0.5e-6)"
takes "layer 4:8 shares each NIC by two" 4:8 $((32 << 20)) "$(layer 8 '32*m' 12.5e9 2.3e-6)"
takes "layer 2:4 leaves through one NIC" 2:4 $((64 << 20)) "$(layer 4 '64*m' 12.5e9 2.3e-6)"
takes "layer 32:2 shares the spine by 32" 32:2 $((4 << 20)) "$(layer 2 '4*m' 3e9 4.6e-6)"
takes "4x8x2 is the sum of its layers" 4x8x2 $((128 << 20)) \
    "$(layer 4 '128*m' 150e9 0.5e-6) + $(layer 8 '32*m' 12.5e9 2.3e-6) + $(layer 2 '4*m' 3e9 4.6e-6)"
takes "4x2x4x2 is the sum of its layers" 4x2x4x2 $((128 << 20)) \
    "$(layer 4 '128*m' 150e9 0.5e-6) + $(layer 2 '32*m' 12.5e9 2.3e-6) + $(layer 4 '16*m' 12.5e9 2.3e-6) + \
     $(layer 2 '4*m' 3e9 4.6e-6)"
takes "a flat ring has a NIC to itself" 64 $((128 << 20)) "$(layer 64 '128*m' 25e9 4.6e-6)"

# ---- the program's own prediction of the same ----
predicted=$("$programs/hiersearch" predict \
    'nvlink:4@150GB/s~0.5us,rack:8@50GB/s~2.3us/2p!,spine@96GB/s~4.6us' --np 64 --top 10000 --samples 0 --json --quiet |
    awk -F '[:,]' '/"plan": "4x8x2"/ { found = 1 } found && /predicted_seconds/ { print $2; exit }')
takes "what predict says of 4x8x2 is what SimGrid says" 4x8x2 $((128 << 20)) "${predicted:-0}"

# ---- a mesh, and striped NICs ----
if make_platform 'nvlink:mesh:4@450GB/s~0.5us,ib:3@50GB/s~2us/2p,spine:2@70GB/s~3us' 24; then
    ok "a platform with a mesh is exported"
else
    not_ok "a platform with a mesh is exported" <<<"export failed"
fi
takes "a message in a mesh has a link of its own" 1-2 1000000 '0.5e-6 + 1e6 / 150e9'
takes "a layer of 2 in a mesh of 4 has a third of the bandwidth" 1:2 $((48 << 20)) \
    "$(layer 2 '48*m' 150e9 0.5e-6)"
takes "a ring draws on striped NICs together" 3-4 1000000 '2e-6 + 1e6 / 50e9'
takes "4x3x2 is the sum of its layers" 4x3x2 $((48 << 20)) \
    "$(layer 4 '48*m' 150e9 0.5e-6) + $(layer 3 '12*m' 12.5e9 2e-6) + $(layer 2 '4*m' '(70e9/12)' 3e-6)"

# ---- the last node is half full, and the machine goes on beyond its description ----
if make_platform 'a:4@100GB/s~1us,b:2@10GB/s~3us' 18; then
    ok "a platform of more processes than described, unevenly, is exported"
else
    not_ok "a platform of more processes than described, unevenly, is exported" <<<"export failed"
fi
takes "the last process, in a node of its own, is reached" 0-17 1000000 '3e-6 + 1e6 / 10e9'
takes "contiguous pairs stay inside" 1:2 $((4 << 20)) "$(layer 2 '4*m' 100e9 1e-6)"

finish

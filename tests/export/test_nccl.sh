#!/bin/bash
# Exported configuration in NCCL itself, which needs no GPU for that: nccl.conf in libnccl, NCCL_ALGO
# in its own parser, our tuner plugin in its own loader; the plugin by itself, and the CSV by a reader
# of our own. TAP on stdout.
# shellcheck disable=SC2016,SC2034,SC2154,SC2015,SC1091 # conditions are for eval; tap.sh sets the rest
. "$(dirname "$0")/tap.sh"
need cc
plugin=$programs/libnccl-tuner-hiersearch.so
[[ -e $plugin ]] || bail "no $plugin"
unset "${!NCCL_@}" "${!HIERSEARCH_@}"
for program in tuner_driver nccl_conf nccl_loader; do
    cc -O1 -o "$program" "$here/$program.c" -ldl 2>compile.err || bail "$(head -n 3 compile.err)"
done

# ---- CSV for the example plugin. Boundaries as in test_ompi.sh. LL ends where what it saves, 4/5 of
# the steps' latency, is what it pays, the bytes once more. NVLink, 2 us and 150 GB/s, 4 ranks:
# 0.8 * 6 * 2 us * 150 GB/s / 2 / (3/4) = 960000. InfiniBand, 5 us, 100 GB/s shared by 4 rings, 8 ranks:
# 0.8 * 14 * 5 us * 25 GB/s / 2 / (7/8) = 800000. The spine, 10 us, again 25 GB/s a ring at the NIC or
# 200 GB/s shared by 32, so 6.25 GB/s, 2 ranks: 0.8 * 2 * 10 us * 6.25 GB/s / 2 / (1/2) = 100000.
export_result asymmetric64 nccl-tuner tuner.conf
python=${PYTHON3:-python3}
reads() { "$python" "$here/csv_check.py" "$@" >found 2>&1; }
check "the CSV tells the layers of 4x8x2 apart, by size, at the right bytes" \
    'reads tuner.conf reducescatter 2131532 1 4 ring/simple/0 allgather 67108864 1 4 ring/simple/0 \
     reducescatter 53834 1 4 ring/ll/0 reducescatter 959999 1 4 ring/ll/0 \
     reducescatter 960002 1 4 ring/simple/0 reducescatter 532883 8 8 ring/ll/0 \
     reducescatter 799999 8 8 ring/ll/0 reducescatter 800002 8 8 ring/simple/0 \
     allreduce 66611 2 2 ring/ll/0 allreduce 99998 2 2 ring/ll/0 \
     allreduce 100002 2 2 ring/simple/0 allreduce 67108864 2 2 ring/simple/0 \
     allreduce 532882 16 16 ring/ll/0 allreduce 4096 16 64 ring/ll/0' found
check "and has a line for everything else of 64 KiB or more" \
    'reads tuner.conf allreduce 532883 16 16 ring/simple/0 allreduce 65536 1 7 ring/simple/0 \
     reducescatter 1000000 1 8 ring/simple/0 broadcast 65536 1 4 ring/simple/0 \
     reduce 18446744073709551615 3 7 ring/simple/0' found
check "small messages match nothing, so that algorithm and protocol are those of NCCL" \
    'reads tuner.conf allreduce 4095 16 64 none allreduce 4 16 64 none reducescatter 53833 1 4 none \
     allreduce 65535 1 7 none broadcast 1 1 4 none' found
# 4x16 from 126976 bytes to 6130136 (test_size_rules.c), 31744 and 1532534 in its outer layer.
export_result library64 nccl-tuner library.conf
check "layers have no lines where the library was measured faster, but for what would be in one channel" \
    'reads library.conf allreduce 31743 16 16 none allreduce 31744 16 16 ring/ll/0 \
     reducescatter 126976 1 4 ring/ll/0 reducescatter 65536 1 4 ring/ll/0 reducescatter 65535 1 4 none \
     allreduce 1532535 16 16 ring/simple/0 reducescatter 6130137 1 4 ring/simple/0' found
check "and the file says so, and to what it applies" \
    'says library.conf "MPI_Allreduce is 5 times faster than the plan at 64MiB (measured): keep the library" &&
     says library.conf "# affects all communicators of the process"' library.conf
check "its reader is able to refuse" \
    'sed "s/,8,8,-1/,-1,8,8,-1/" tuner.conf >wrong.conf; ! reads wrong.conf && ! reads tuner.conf \
     reducescatter 799999 8 8 ring/simple/0' found
export_result twins64 nccl-tuner twins.conf
check "layers of one size are told apart by their nodes" \
    'reads twins.conf reducescatter 950000 1 4 ring/ll/0 reducescatter 950000 4 4 ring/simple/0' found
check "without a system there is no CSV, and the reason is said" \
    '! export_result small12 nccl-tuner none.conf && [[ ! -e none.conf ]] &&
     says none.conf.notes "no system in it"' none.conf.notes

# The same as if of a reduce-scatter in place: the last layer has the message whole, 8 a half, 4 a 16th.
sed 's/"np": 64,/"collective": "reduce-scatter", "layout": "natural", &/' "$results/asymmetric64.json" >scatter64.json
"$programs/hiersearch" export scatter64.json --to nccl-tuner -o scatter.conf --quiet 2>scatter.notes
check "a reduce-scatter has lines for reduce-scatters alone, at its layers' shares" \
    'reads scatter.conf reducescatter 2131531 2 2 ring/simple/0 reducescatter 65535 2 2 none \
     reducescatter 1065765 8 8 ring/simple/0 reducescatter 1065766 8 8 ring/simple/0 reducescatter 65535 8 8 none \
     reducescatter 3364 1 4 none reducescatter 3365 1 4 ring/ll/0 reducescatter 959999 1 4 ring/ll/0 \
     reducescatter 960002 1 4 ring/simple/0 allgather 3365 1 4 none allreduce 65535 2 2 none \
     allgather 65536 1 4 ring/simple/0' scatter.notes

# ---- the plugin by itself ----
export HIERSEARCH_RESULT=$results/asymmetric64.json
# drive VERSION RANKS NODES [COLLECTIVE BYTES]...; collectives: 0 broadcast, 2 allgather, 3 reduce-scatter, 4 allreduce
drive() {
    local version=$1
    shift
    ./tuner_driver "$version" "$plugin" "$@" >driven 2>&1
    status=$?
}
calls() { grep -v '^log' driven | tr '\n' ';'; }
for version in 4 5; do
    drive $version 4 1 3 53833 3 53834 2 67108864 4 67108864 0 67108864
    check "v$version: the first layer reduce-scatters and gathers in rings, with the cheapest protocol" \
        '((status == 0)) && [[ $(calls) == "init 0;3 53833 none 0;3 53834 1 1 0;2 67108864 1 1 0;4 67108864 none 0;0 67108864 none 0;" ]]' driven
done
drive 5 8 8 3 532882 3 532883
check "the second layer of 4x8x2 begins at a quarter of the bytes" \
    '[[ $(calls) == "init 0;3 532882 none 0;3 532883 1 1 0;" ]] && says driven "layer 2 of 4x8x2"' driven
drive 5 2 2 4 66610 4 66611 3 66611
check "the last layer is the one that allreduces" \
    '[[ $(calls) == "init 0;4 66610 none 0;4 66611 1 1 0;3 66611 none 0;" ]] && says driven "layer 3 of 4x8x2"' driven
drive 5 16 16 4 532882 4 532883
check "4x16 rules the sizes before" '[[ $(calls) == "init 0;4 532882 1 1 0;4 532883 none 0;" ]]' driven
drive 5 7 1 4 1000000 3 1000000
check "a communicator that is no layer is left alone, and that is said" \
    '[[ $(calls) == "init 0;4 1000000 none 0;3 1000000 none 0;" ]] && says driven "left alone: no layer has size 7"' driven
NO_LL128=1 HIERSEARCH_TUNER_CHANNELS=12 drive 5 4 1 3 1000000
check "protocols that NCCL rules out are not chosen, and channels can be set" \
    '[[ $(calls) == "init 0;3 1000000 1 0 12;" ]]' driven
# 4x16 from 126976 bytes to 6130136 (test_size_rules.c), 31744 and 1532534 in its outer layer.
HIERSEARCH_RESULT=$results/library64.json drive 5 16 16 4 31743 4 31744 4 1532534 4 1532535 4 268435456
check "where the library was measured faster NCCL's table stays as it is" \
    '[[ $(calls) == "init 0;4 31743 none 0;4 31744 1 1 0;4 1532534 1 1 0;4 1532535 none 0;4 268435456 none 0;" ]]' driven
# A machine may have localedef and not what it reads.
localedef -i de_DE -f UTF-8 ./de_DE.UTF-8 >localedef.err 2>&1
if [[ $(LOCPATH=$PWD LC_ALL=de_DE.UTF-8 locale decimal_point 2>>localedef.err) == , ]]; then
    HIERSEARCH_RESULT=$results/library64.json LOCPATH=$PWD LC_ALL=de_DE.UTF-8 \
        drive 5 16 16 4 31743 4 31744 4 1532534 4 1532535
    check "and in a program that writes numbers with a comma" \
        '[[ $(calls) == "comma;init 0;4 31743 none 0;4 31744 1 1 0;4 1532534 1 1 0;4 1532535 none 0;" ]]' driven
else
    skip "and in a program that writes numbers with a comma" "no German locale can be made"
fi
HIERSEARCH_RESULT=$results/library64.json drive 5 64 16 4 4096 4 67108864
check "and in the communicator of all" '[[ $(calls) == "init 0;4 4096 none 0;4 67108864 none 0;" ]]' driven
sed 's/"backend": "mpi"/"backend": "nccl"/' "$results/library64.json" >nccl64.json
HIERSEARCH_RESULT=$PWD/nccl64.json drive 5 16 16 4 31744 4 1532534
check "what was measured with NCCL's own choice is not forced to rings, and that is said" \
    '[[ $(calls) != *"init 0"* ]] && says driven "there is nothing to tune"' driven
sed 's/"MPI_Allreduce"/"ncclAllReduce symmetric"/' "$results/library64.json" >windows64.json
HIERSEARCH_RESULT=$results/library64.json drive 5 4 1 3 268435456
own=$(calls)
HIERSEARCH_RESULT=$PWD/windows64.json drive 5 4 1 3 268435456
check "a call with symmetric windows is none that a program makes by itself: the plan stands" \
    '[[ $own == "init 0;3 268435456 none 0;" && $(calls) == "init 0;3 268435456 1 "*" 0;" ]]' driven
NO_RING=1 drive 5 4 1 3 1000000
check "without rings NCCL's table stays as it is" '[[ $(calls) == "init 0;3 1000000 none 0;" ]]' driven
drive 5 4 1 3 1000000 3 1000001 3 1000002
check "each choice is logged once, through NCCL's logger" \
    '(($(grep -c "^log 3 0x40 " driven) == 1)) && says driven "log 3 0x41 TUNER/hiersearch: $HIERSEARCH_RESULT"' driven
HIERSEARCH_RESULT=$results/twins64.json drive 5 4 4 3 262144 3 262143
check "of two layers of one size the one between nodes is meant where there are nodes" \
    '[[ $(calls) == "init 0;3 262144 1 1 0;3 262143 none 0;" ]] && says driven "layer 2 of 4x4x2x2"' driven
HIERSEARCH_RESULT=$PWD/scatter64.json drive 5 4 1 3 1000000
check "the plugin knows AllReduces: a reduce-scatter's result is refused, and what to do said" \
    '[[ $(calls) == "init 5;" ]] && says driven "--to nccl-tuner"' driven
sed 's/"np": 64,/"mesh": "tp=2,dp=64", "group": "dp", "np": 128,/' "$results/asymmetric64.json" >groups128.json
HIERSEARCH_RESULT=$PWD/groups128.json drive 5 4 1 3 1000000
check "nor does it know groups of a mesh" \
    '[[ $(calls) == "init 5;" ]] && says driven "about groups of a mesh: export it" &&
     says driven "--to nccl-tuner"' driven
printf '{"format":"hiersearch.result/2"}' >old.json
printf '{"format":"hiersearch.result/2","np":8,"results":[{"message_bytes":' >half.json
printf '{"format":"hiersearch.result/2","np":8,"results":[{"message_bytes":9,"best":"4x4"}]}' >np.json
printf '{"format":"hiersearch.result/2","np":8,"results":[]}' >empty.json
for wrong in /nowhere old.json half.json np.json empty.json "$PWD" ""; do
    HIERSEARCH_RESULT=$wrong drive 5 4 1 3 1000000
    check "a result that is no use is an error, with a warning: ${wrong##*/}" \
        '[[ $(calls) == "init 5;" ]] && says driven "log 2 0x41"' driven
done

# ---- libnccl ----
find_nccl() {
    local at
    for at in "${NCCL_HOME:-/nowhere}"/lib{,64} /usr/local/lib /usr/local/cuda*/lib{64,} \
        /usr/lib/x86_64-linux-gnu; do
        [[ ! -e $at/libnccl.so.2 ]] || { realpath "$at/libnccl.so.2"; return; }
    done
}
nccl=$(find_nccl)
[[ $nccl ]] || { skip "NCCL itself" "no libnccl.so.2"; finish; exit; }
"$programs/hiersearch" export "$results/asymmetric64.json" --to nccl-env -o nccl.conf --quiet
export NCCL_CONF_FILE=$PWD/nccl.conf NCCL_SOCKET_IFNAME=lo
wanted="allreduce:ring;reducescatter:ring;allgather:ring"
./nccl_conf "$nccl" NCCL_ALGO >found 2>&1
check "libnccl reads nccl.conf" 'says found "NCCL_ALGO=$wanted" && says found "status 0"' found
NCCL_ALGO=Tree ./nccl_conf "$nccl" NCCL_ALGO >found 2>&1
check "the environment wins over it" 'says found "NCCL_ALGO=Tree"' found
sed 's/^NCCL/#&/' nccl.conf >comment.conf
NCCL_CONF_FILE=$PWD/comment.conf ./nccl_conf "$nccl" NCCL_ALGO >found 2>&1
check "and what is a comment is none of it" 'says found "NCCL_ALGO=(unset)"' found

# ---- what libnccl does not export: at the addresses that its debug information gives ----
addresses() {
    command -v gdb >/dev/null || return
    timeout -k 5 120 gdb -batch "$nccl" -ex 'printf "bytes=%lu\n", sizeof(struct ncclComm)' \
        -ex 'printf "tuner=%lu\n", &((struct ncclComm *)0)->tuner' \
        -ex 'printf "context=%lu\n", &((struct ncclComm *)0)->tunerContext' \
        -ex 'printf "size4=%lu\n", sizeof(ncclTuner_v4_t)' \
        -ex 'printf "size5=%lu\n", sizeof(ncclTuner_v5_t)' \
        -ex 'printf "ncclGetUniqueId=%lu\n", ncclGetUniqueId' \
        -ex 'printf "load=%lu\n", ncclTunerPluginLoad' -ex 'printf "parse=%lu\n", parseList' \
        -ex 'printf "functions=%lu\n", &ncclFuncStr' -ex 'printf "algorithms=%lu\n", &ncclAlgoStr' \
        -ex 'printf "log=%lu\n", ncclDebugLog' -ex 'ptype ncclTuner_v5_t' -ex 'ptype ncclTuner_v4_t' \
        2>gdb.err
}
addresses >symbols
mapfile -t known < <(grep -E '^[a-zA-Z0-9]+=[0-9]+$' symbols)
if ((${#known[@]} != 11)); then
    skip "NCCL's loader and parser" "no gdb, or a libnccl without debug information"
    finish
    exit
fi
check "NCCL's structs for plugins are four pointers, in the order of our header" \
    'says symbols size4=32 && says symbols size5=32 &&
     [[ $(grep -oE "\(\*[a-zA-Z]+\)" symbols | tr -d "\n") == "(*init)(*getCollInfo)(*finalize)(*init)(*getCollInfo)(*destroy)" ]]' symbols
NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,TUNING NCCL_TUNER_PLUGIN=$plugin \
    ./nccl_loader "$nccl" "${known[@]}" >found 2>&1
check "NCCL's own loader takes the plugin as version 5" \
    'says found "load 0" && says found "name hiersearch" && says found "Using hiersearch (v5)"' found
check "it tunes the second layer of 4x8x2, and logs that in NCCL's log" \
    'says found "ring 0 54 55 channels 0" && says found "end 0" &&
     grep -q "NCCL INFO TUNER/hiersearch: ReduceScatter .* layer 2 of 4x8x2: Ring/LL" found' found
check "NCCL's own parser takes the exported NCCL_ALGO: rings for these three" \
    'says found "parsed $wanted: 0" && grep -qx "AllReduce: Ring" found &&
     grep -qx "ReduceScatter: Ring" found && grep -qx "AllGather: Ring" found' found
check "and refuses an algorithm that it does not know" 'says found "parsed allreduce:hier: 5"' found
NCCL_DEBUG=WARN NCCL_TUNER_PLUGIN=$plugin HIERSEARCH_RESULT=/nowhere \
    ./nccl_loader "$nccl" "${known[@]}" >found 2>&1
check "a result that is not there is a warning of NCCL's, and an error" \
    'says found "init 5" && grep -q "NCCL WARN TUNER/hiersearch: /nowhere: No such file" found' found
finish

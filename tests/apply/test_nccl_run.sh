#!/bin/bash
# `hiersearch run` in front of programs of NCCL that know nothing of it, with the stand-in for NCCL and CUDA: every element of
# what goes by plan, what does not, what is aborted, what is refused. TAP on stdout.
#     tests/apply/test_nccl_run.sh BUILD         after: make nccl-programs
#     tests/apply/test_nccl_run.sh BUILD rccl    the same programs as those of RCCL and HIP; with TESTS=quick a part of it
# $CUDA_HOME, $NCCL_HOME: the headers.
set -u
(($# == 1 || $# == 2)) || { echo "usage: test_nccl_run.sh BUILD [nccl|rccl]" >&2; exit 2; }
build=$(realpath "$1") here=$(cd "$(dirname "$0")" && pwd -P) vendor=${2:-nccl}
# shellcheck source=tests/apply/nccl_ranks.sh
. "$here/nccl_ranks.sh"
built_for "$vendor"
[ -e "$standin" ] || { echo "1..0 # SKIP no nccl.h, or no stand-in"; exit 0; }
short=false
[ "$vendor" = nccl ] || tap_before="RCCL: "
[ "$vendor" = nccl ] || [ "${TESTS:-}" != quick ] || short=true
# planned NP RULES WAY...: with the plans of a text in the environment.
planned() {
    local np=$1 rules=$2
    shift 2
    LD_PRELOAD=$library HIERSEARCH_NCCL_PLANS=$rules ranks "$np" ./carried "$@"
}
well() { [[ $statuses =~ ^(0 )+$ ]]; }
# said REGEX: by rank 0, in one line, and the others nothing.
said() { [ "$(cat ./*.said | wc -l)" = 1 ] && grep -qE -- "$1" 0.said; }
by_plan() { echo "^hiersearch run: rank 0 had $1 of NCCL's calls by plan"; }

# Calls are counted here: none goes by the library to compare, but where that is what is tested.
export HIERSEARCH_REPRODUCIBLE=1
# CUDA's driver is a library by itself; what the interposer calls of HIP is in the runtime.
add_driver() {
    "${CC:-cc}" "${flags[@]}" -shared -fPIC -Wl,-soname,libcuda.so.1 -o libcuda.so.1 "$here/nccl_driver.c" >>out 2>&1
    links=("$scratch/libcuda.so.1" "${links[@]}" "-Wl,-rpath,$scratch")
}
# carried OUTPUT FLAG...: the program, by flags and links.
carried() { "${CC:-cc}" "${flags[@]}" "${@:2}" -o "$1" "$here/nccl_carried.c" -Wl,--no-as-needed "${links[@]}" -lm >>out 2>&1; }
[ "$vendor" = rccl ] || add_driver
carried carried
ways=(values groups streams graphs parts makers)

# ---- every element, by plans of two and three layers ----
ranks 4 ./carried "${ways[@]}"
check "the program is right without plans" 'well && [ -z "$(cat ./*.said)" ]'
four=$'ranks 4\nrule allreduce 4:1 0 2x2\n'
planned 4 "$four" values
# Of 14 kinds of element and operation 2 are means of whole numbers; of 6 counts 2 are below a line for each part.
check "4 ranks: every element is right, of all types, operations and counts, in place and not" 'well && said "$(by_plan 160), 105 left to the library \(81 of sizes .*, 24 of types or operations that plans do not have\)"'
eight=$'ranks 8\nrule allreduce 8:1 0 library\nrule allreduce 8:1 2000 4x2\nrule allreduce 8:1 12000 2x2x2\n'
planned 8 "$eight" "${ways[@]}"
check "8 ranks: every way, by two and three layers" 'well && said "$(by_plan "1[0-9][0-9]").*left to the library"'
if ! $short && (($(nproc) > 1)); then
    planned 12 $'ranks 12\nrule allreduce 12:1 2000 3x2x2\nrule allreduce 12:1 12000 4x3\n' "${ways[@]}"
    check "12 ranks: every way, by layers that are no powers of two" 'well && said "$(by_plan "1[0-9][0-9]").*left to the library"'
fi

# ---- each way ----
planned 4 "$four" groups
check "a call alone in a group goes by plan; of several none does" 'well && said "$(by_plan 3), 3 left to the library \(3 in groups of several calls\)"'
JOB_COUNTS_WAITS=1 planned 4 "$four" groups
check "one stream waits for nothing" 'well && [ "$(cat ./*.said | grep -c "^0 waits")" = 4 ]'
JOB_COUNTS_WAITS=1 planned 4 "$four" streams
check "calls on two streams wait for each other, so that no more kernels are at work than without plans" \
    'well && [ "$(cat ./*.said | grep -c "^7 waits")" = 4 ] && grep -qE "$(by_plan 8);" 0.said'
STANDIN_ONE_KERNEL=1 planned 4 "$four" orders
check "calls by plan and others on two streams are never at work at once" 'well && said "$(by_plan 8), 2 left"'
planned 4 "$four" graphs
check "a graph captures a plan, and every launch is right" 'well && said "$(by_plan 3);"'
planned 8 "$eight" configured
check "calls with a configuration, and signals in a group, are the library's, in their place" 'well && said "$(by_plan 8), 2 left to the library .2 in groups of several calls"'
STANDIN_ONE_KERNEL=1 planned 4 "$four" configured
check "and never at work with a plan" 'well && said "$(by_plan 8), 2 left"'
JOB_COMMS=3 planned 4 "$four" suspended
check "suspending frees the memory of the parts, too" 'well && said "$(by_plan 2)"'
JOB_COMMS=1 ranks 4 ./carried suspended
check "which without plans is the communicator's alone" 'well'
for call in allreduce reduce-scatter; do
    rule="ranks 8"$'\n'"rule $call 8:1 0 2x2x2"$'\n'"rule $call 8:1 1000000 library"$'\n'
    JOB_CALL=$call ranks 8 ./carried averages
    check "$call: averages are right without plans" 'well'
    JOB_CALL=$call STANDIN_NO_AVERAGES=1 planned 8 "$rule" averages
    check "$call: layers add and one takes the mean; none averages, and float16 does not overflow" 'well && said "$(by_plan 9);"'
done
for waits in 1 0; do
    JOB_WAITS=$waits planned 4 "$four" windows
    check "while a window of memory is there calls go to the library (JOB_WAITS=$waits)" 'well && said "$(by_plan 2), 2 left to the library \(2 of communicators with windows of memory\)"'
done
if [ "$vendor" = rccl ]; then
    # As of a HIP that does not know one of the functions: in place of its name another one stands in the library.
    mkdir older && sed 's/hipThreadExchangeStreamCaptureMode/hipThreadExchangeStreamCapture____/g' "${standin%/*}/libamdhip64.so.7" >older/libamdhip64.so.7
    LD_LIBRARY_PATH=$scratch/older planned 4 "$four" groups
    check "where HIP lacks a function one line says which, and all goes to the library" 'well && grep -qE "$(by_plan 0), 6 left" 0.said && [ "$(cat ./*.said | wc -l)" = 2 ] &&
        grep -q "^hiersearch run: 4 ranks of a communicator have no plans: libamdhip64.so has no hipThreadExchangeStreamCaptureMode$" 0.said'
    STANDIN_NCCL=22203 planned 4 "$four" groups
    check "where RCCL may not be able to split communicators none is split, and one line says so" 'well && grep -qE "$(by_plan 0), 6 left" 0.said &&
        grep -q "^hiersearch run: no call goes by plan: RCCL before 2.26.6 may fail" 0.said && [ "$(cat ./*.said | wc -l)" = 2 ]'
    STANDIN_NCCL=22203 RCCL_MSCCL_ENABLE=0 planned 4 "$four" groups
    check "but with what keeps it from that" 'well && said "$(by_plan 3), 3 left"'
    "$hiersearch" predict mi300x --np 8 --size 64KiB -q -o rccl.json >out 2>&1
    "$hiersearch" export rccl.json --to rules >rules 2>>out
    ranks 8 "$hiersearch" run --elsewhere rccl.json -- ./carried groups
    check "hiersearch run: a prediction for a machine with RCCL is for its calls" 'well && said "$(by_plan 0), 6 left to the library \(6 of" &&
        grep -q "^# LD_PRELOAD=libhiersearch-nccl.so" rules && ! grep -q "^time" rules'
    # Both in one process, each for itself alone, as Python loads libraries.
    carried rccl.so -shared -fPIC
    built_for nccl && add_driver && carried nccl.so -shared -fPIC
    built_for rccl
    cat >both.py <<'END'
import ctypes, os, sys
for name in sys.argv[1].split():
    os.environ["JOB_FOLDER"] = os.environ["STANDIN_DIR"] = os.path.join(os.environ["JOB_FOLDERS"], name)
    library = ctypes.CDLL(os.path.join(os.environ["JOB_FOLDERS"], name + ".so"))
    for _ in range(8 * (name == "rccl")):  # an id is a process and a number: no two are to be alike
        library.ncclGetUniqueId(ctypes.create_string_buffer(128))
    words = [b"carried"] + [word.encode() for word in sys.argv[2:]]
    assert library.main(len(words), (ctypes.c_char_p * (len(words) + 1))(*words, None)) == 0
END
    for order in "nccl rccl" "rccl nccl"; do
        rm -rf nccl rccl && mkdir nccl rccl
        JOB_FOLDERS=$scratch JOB_COUNTS_WAITS=1 LD_PRELOAD=$library HIERSEARCH_NCCL_PLANS=$four ranks 4 "${PYTHON3:-/usr/bin/python3}" both.py "$order" streams groups
        check "a program that has NCCL and RCCL: calls of both go by plan, each with the driver of its GPUs ($order)" \
            'well && [ "$(cat ./*.said | grep -c "^7 waits")" = 8 ] && grep -qE "$(by_plan 22), 6 left" 0.said'
    done
fi
if $short; then
    # ---- of what follows a part ----
    for JOB_CALL in reduce-scatter allgather; do
        export JOB_CALL
        two="ranks 4"$'\n'"rule $JOB_CALL 4:1 0 2x2"$'\n'"rule $JOB_CALL 4:1 170000 library"$'\n'
        HIERSEARCH_VERIFY=1 HIERSEARCH_VERIFY_BYTES=262144 planned 4 "$two" values streams graphs parts
        check "$JOB_CALL: every element is right, and none that is verified differs" 'well && said "$(by_plan "[1-9][0-9]*").*; [1-9][0-9]* compared with NCCL.s default call, 0 of them differ"'
        JOB_FAULT=hang:$JOB_CALL:2 planned 4 "$two" faults
        check "$JOB_CALL: what hangs is aborted as a whole, and nothing is left" 'well && said "$(by_plan 1);"'
    done
    JOB_CALL=reduce-scatter LD_PRELOAD=$library HIERSEARCH_NCCL_PLANS=$'ranks 4\nrule reduce-scatter 4:1 0 2x2\nrule reduce-scatter 4:1 170000 library\n' \
        ranks 4 bash -c '((RANK == 2)) && export JOB_NO_MEMORY=1; exec ./carried groups'
    check "where one rank has no memory none of its reduce-scatters goes by plan, and no error is left to the program" \
        'well && grep -qE "$(by_plan 0), 6 left to the library \(6 of more bytes" 0.said'
    unset JOB_CALL
    finish
    exit
fi
CUDA_DEVICE_MAX_CONNECTIONS=1 planned 4 "$four" groups
check "one queue of a GPU is warned of, by rank 0" 'well && grep -q "warning: CUDA_DEVICE_MAX_CONNECTIONS=1" 0.said && ! grep -q warning [1-3].said'
planned 4 "$four" nothing
check "where no communicator was seen rank 0 says so" 'well && said "^hiersearch run: rank 0 has loaded NCCL, and no communicator"'
planned 4 "$four" makers
check "a communicator that nobody waits for has plans, and one that is made in a group" 'well && said "$(by_plan 2);"'
planned 8 $'ranks 8\nrule allreduce 4:2 0 2x2\nrule allreduce 4:1 0 2x2\n' parts groups
check "groups of a mesh are found among the parts of a communicator" 'well && said "$(by_plan 3), 6 left to the library \(6 of communicators without"'
planned 8 $'ranks 8\nrule allreduce 4:1 0 2x2\n' parts
check "parts that are none of its groups are not" 'well && grep -qE "$(by_plan 1), 2 left" 0.said && grep -q "^hiersearch run: 4 ranks of a communicator have no plans: they are no group" 0.said'
planned 4 $'ranks 4\nrule allreduce 4:1 0 2x2/2\n' values
check "plans in chunks are not carried out" 'well && said "$(by_plan 0), .* left to the library \(.*of communicators"'
planned 4 $'ranks 4\nrule allreduce 4:1 0 2x2/2\nrule allreduce 4:1 40000 2hx2\nrule allreduce 4:1 60000 2x2\n' values
check "nor those by other algorithms, beside one that is" 'well && said "$(by_plan "[1-9][0-9]*"), .*[1-9][0-9]* of plans in chunks or by other algorithms"'
planned 4 $'ranks 8\nrule allreduce 8:1 0 4x2\n' values
check "a job of another size goes to the library" 'well && said "$(by_plan 0), 265 left to the library \(265 of communicators without"'
LD_PRELOAD=$library ranks 4 ./carried groups
check "without plans nothing is said" 'well && [ -z "$(cat ./*.said)" ]'

# ---- reduce-scatters and allgathers ----
# Beyond these bytes the rules are the library's: memory for the reduce-scatters is taken up to there.
until=170000
for JOB_CALL in reduce-scatter allgather; do
    export JOB_CALL
    ranks 4 ./carried values groups streams graphs parts
    check "$JOB_CALL: the program is right without plans" 'well && [ -z "$(cat ./*.said)" ]'
    two="ranks 4"$'\n'"rule $JOB_CALL 4:1 0 2x2"$'\n'"rule $JOB_CALL 4:1 $until library"$'\n'
    planned 4 "$two" values
    # All that have elements: of 22 kinds of reductions 2 are means of whole numbers; of each 6 counts, in place and not.
    [ $JOB_CALL = allgather ] && numbers="72, 1 left to the library .1 of sizes" || numbers="240, 25 left .* \(1 of sizes .*, 24 of types"
    check "$JOB_CALL: every element is right, of all types, operations and counts, in place and not" 'well && said "$(by_plan "${numbers%%,*}"),${numbers#*,}"'
    for way in 2x2x2 4x2 2x4; do
        planned 8 "ranks 8"$'\n'"rule $JOB_CALL 8:1 0 library"$'\n'"rule $JOB_CALL 8:1 2000 $way"$'\n'"rule $JOB_CALL 8:1 $until library"$'\n' "${ways[@]}"
        check "$JOB_CALL: every way, by $way" 'well && said "$(by_plan "[1-9][0-9]+").*left to the library"'
    done
    if (($(nproc) > 1)); then
        planned 12 "ranks 12"$'\n'"rule $JOB_CALL 12:1 2000 3x2x2"$'\n'"rule $JOB_CALL 12:1 12000 4x3"$'\n'"rule $JOB_CALL 12:1 $until library"$'\n' "${ways[@]}"
        check "$JOB_CALL: every way, by layers that are no powers of two" 'well && said "$(by_plan "[1-9][0-9]+").*left to the library"'
    fi
    planned 4 "$two" groups
    check "$JOB_CALL: a call alone in a group goes by plan; of several none does" 'well && said "$(by_plan 3), 3 left to the library \(3 in groups of several calls\)"'
    planned 4 "$two" streams
    check "$JOB_CALL: calls on two streams wait for each other" 'well && said "$(by_plan 8);"'
    STANDIN_ONE_KERNEL=1 planned 4 "$two" orders
    check "$JOB_CALL: and for calls of the library" 'well && said "$(by_plan 8), 2 left"'
    planned 4 "$two" handles
    check "$JOB_CALL: a stream with the handle of another is another" 'well && said "$(by_plan 3);"'
    planned 4 "$two" graphs
    [ $JOB_CALL = allgather ] && numbers='3;' || numbers='2, 1 left to the library .1 in graphs'
    check "$JOB_CALL: graphs" 'well && said "$(by_plan "${numbers%%[,;]*}").${numbers#*[,;]}"'
    planned 8 "ranks 8"$'\n'"rule $JOB_CALL 4:2 0 2x2"$'\n'"rule $JOB_CALL 4:2 $until library"$'\n'"rule $JOB_CALL 4:1 0 2x2"$'\n'"rule $JOB_CALL 4:1 $until library"$'\n' parts
    check "$JOB_CALL: groups of a mesh" 'well && said "$(by_plan 3);"'
    planned 4 "$two"$'rule allreduce 4:1 0 2x2\n' groups
    check "$JOB_CALL: beside rules of another collective" 'well && said "$(by_plan 3), 3 left"'
    planned 4 "$four" groups
    check "$JOB_CALL: rules about others leave it alone" 'well && said "$(by_plan 0)(;|\$)"'
    for fault in hang error; do
        export JOB_FAULT=$fault:$JOB_CALL:2
        planned 4 "$two" faults
        check "$JOB_CALL: $fault: the whole of it is aborted, and nothing is left" 'well && said "$(by_plan 1);"'
        JOB_GROUPED=1 planned 4 "$two" faults
        check "$JOB_CALL: $fault: so it is in a group" 'well && said "$(by_plan 1);"'
    done
    unset JOB_FAULT
done
export JOB_CALL=reduce-scatter
two=$'ranks 4\nrule reduce-scatter 4:1 0 2x2\nrule reduce-scatter 4:1 170000 library\n'
LD_PRELOAD=$library HIERSEARCH_NCCL_PLANS=$two$'rule allreduce 4:1 0 2x2\n' ranks 4 bash -c '((RANK == 2)) && export JOB_NO_MEMORY=1; exec ./carried groups'
check "where one rank has no memory for reduce-scatters, none goes by plan" 'well && grep -qE "$(by_plan 0), 6 left to the library \(6 of more bytes than there is memory" 0.said &&
    grep -q "^hiersearch run: 4 ranks of a communicator have no plans of reduce-scatters, nor of packed layout: not all of their GPUs have 85000 bytes left" 0.said && [ -z "$(cat [1-3].said)" ]'
unset JOB_CALL

# ---- packed layout ----
for JOB_CALL in reduce-scatter allgather; do
    export JOB_CALL
    # packed NP PLAN: rules for all sizes up to $until.
    packed() { echo "ranks $1"$'\n'"rule $JOB_CALL $1:1 0 $2 packed"$'\n'"rule $JOB_CALL $1:1 $until library"; }
    [ $JOB_CALL = allgather ] && numbers="72, 1 left to the library .1 of sizes" || numbers="240, 25 left .* \(1 of sizes .*, 24 of types"
    planned 4 "$(packed 4 2x2)" values
    check "$JOB_CALL packed: every element is right, of all types, operations and counts, in place and not" \
        'well && said "$(by_plan "${numbers%%,*}"),${numbers#*,}"'
    planned 8 "$(packed 8 2x2x2)" "${ways[@]}" handles behind
    check "$JOB_CALL packed: every way, by 2x2x2" 'well && said "$(by_plan "[1-9][0-9]+").*left to the library"'
    for way in 4x2 2x4; do
        STANDIN_COUNTS_BYTES=1 planned 8 "$(packed 8 $way)" groups
        inner=${way%x*} outer=${way#*x}
        # 3 calls of 40000 bytes: all within a node, and what one GPU of it has to send between nodes.
        check "$JOB_CALL packed: by $way the outermost layer moves the least" \
            'well && grep -qE "$(by_plan 3), 3 left" 0.said && grep -qx "standin: 120000 bytes among $inner ranks" 0.said &&
            grep -qx "standin: $((120000 / inner)) bytes among $outer ranks" 0.said'
    done
    planned 12 "$(packed 12 3x2x2)" streams groups
    check "$JOB_CALL packed: by layers that are no powers of two" 'well && said "$(by_plan "[1-9][0-9]+")"'
    planned 8 "$(packed 8 4x2)" streams graphs
    check "$JOB_CALL packed: what a graph captures is the library's" 'well && said "1 in graphs, whose memory"'
    # In pieces: 8 blocks of 2 and of 1 lines; one line of each is the least.
    for bytes in 2048 1024; do
        HIERSEARCH_NCCL_MEMORY=$bytes planned 8 "$(packed 8 2x2x2)" groups
        check "$JOB_CALL packed: a message of more than $bytes bytes goes in pieces" 'well && said "$(by_plan 3), 3 left"'
    done
    HIERSEARCH_NCCL_MEMORY=1023 planned 8 "$(packed 8 4x2)" groups
    check "$JOB_CALL packed: with less memory none does" 'well && said "$(by_plan 0), 6 left to the library .6 of more bytes than there is memory for beside"'
    HIERSEARCH_VERIFY_BYTES=262144 HIERSEARCH_VERIFY=1 planned 4 "$(packed 4 2x2)" values streams
    check "$JOB_CALL packed: verified, none differs" 'well && said "; [1-9][0-9]* compared with NCCL.s default call, 0 of them differ"'
    STANDIN_ONE_KERNEL=1 planned 4 "$(packed 4 2x2)" orders
    check "$JOB_CALL packed: never at work at once with others" 'well && said "$(by_plan 8), 2 left"'
    for fault in hang error; do
        JOB_FAULT=$fault:$JOB_CALL:2 planned 4 "$(packed 4 2x2)" faults
        check "$JOB_CALL packed: $fault: the whole of it is aborted, and nothing is left" 'well && said "$(by_plan 1)"'
    done
    LD_PRELOAD=$library HIERSEARCH_NCCL_PLANS=$(packed 4 2x2) ranks 4 bash -c '((RANK == 2)) && export JOB_NO_MEMORY=1; exec ./carried groups'
    check "$JOB_CALL packed: where one rank has no memory none does" 'well && grep -qE "$(by_plan 0), 6 left" 0.said'
done
unset JOB_CALL
JOB_CALL=reduce-scatter STANDIN_NO_AVERAGES=1 planned 8 $'ranks 8\nrule reduce-scatter 8:1 0 2x2x2 packed\nrule reduce-scatter 8:1 1000000 library\n' averages
check "packed layout: layers add and one takes the mean" 'well && said "$(by_plan 9);"'
JOB_WAITS=0 JOB_CALL=allgather planned 4 $'ranks 4\nrule allgather 4:1 0 2x2 packed\n' groups
check "packed layout, not waited for: there is no memory for it" 'well && said "$(by_plan 0), 6 left to the library .6 of nonblocking communicators, which have no memory beside.;"'

# ---- on communicators that nobody waits for ----
for JOB_CALL in allreduce allgather; do
    export JOB_CALL JOB_WAITS=0
    rule="rule $JOB_CALL 4:1 0 2x2"$'\n'"rule $JOB_CALL 4:1 $until library"$'\n'
    ranks 4 ./carried "${ways[@]}"
    check "$JOB_CALL, not waited for: the program is right without plans" 'well && [ -z "$(cat ./*.said)" ]'
    planned 4 "ranks 4"$'\n'"$rule" values
    check "$JOB_CALL, not waited for: every element is right" 'well && said "$(by_plan "[1-9][0-9]+").*left to the library"'
    planned 8 "ranks 8"$'\n'"rule $JOB_CALL 8:1 0 2x2x2"$'\n'"rule $JOB_CALL 8:1 $until library"$'\n' "${ways[@]}"
    check "$JOB_CALL, not waited for: every way, by three layers" 'well && said "$(by_plan "[1-9][0-9]+").*left to the library"'
    planned 4 "ranks 4"$'\n'"$rule" groups
    check "$JOB_CALL, not waited for: alone in a group it goes by plan" 'well && said "$(by_plan 3), 3 left to the library \(3 in groups of several calls\)"'
    JOB_COUNTS_WAITS=1 planned 4 "ranks 4"$'\n'"$rule" streams
    check "$JOB_CALL, not waited for: calls on two streams wait for each other" 'well && [ "$(cat ./*.said | grep -c "^7 waits")" = 4 ] && grep -qE "$(by_plan 8);" 0.said'
    STANDIN_ONE_KERNEL=1 planned 4 "ranks 4"$'\n'"$rule" orders
    check "$JOB_CALL, not waited for: and for calls of the library" 'well && said "$(by_plan 8), 2 left"'
    planned 4 "ranks 4"$'\n'"$rule" parts
    check "$JOB_CALL, not waited for: what is split off it is the library's" 'well && said "$(by_plan 0), 3 left"'
    LD_PRELOAD=$library ranks 4 bash -c 'HIERSEARCH_NCCL_PLANS="ranks 4
rule $JOB_CALL 4:1 $((RANK == 2)) 2x2" exec ./carried groups'
    check "$JOB_CALL, not waited for: where a rank has another plan none is used" 'well && grep -qE "$(by_plan 0)" 0.said && grep -q "have not the same plans all" 0.said'
    for fault in hang error; do
        export JOB_FAULT=$fault:$JOB_CALL:2
        planned 4 "ranks 4"$'\n'"$rule" faults
        check "$JOB_CALL, not waited for: $fault: the whole of it is aborted" 'well && said "$(by_plan 1);"'
    done
    unset JOB_FAULT
done
planned 4 "ranks 4"$'\n'"$rule" given-up
check "not waited for: it can be given up at any time, and nothing is left" 'well && said "$(by_plan 0)(;|\$)"'
JOB_TWICE=1 planned 4 "ranks 4"$'\n'"$rule" makers
check "not waited for: a second call before the first is answered for is refused" 'well && said "$(by_plan 2);"'
JOB_CALL=reduce-scatter planned 4 "$two" groups
check "reduce-scatter, not waited for: there is no memory for it" 'well && said "$(by_plan 0), 6 left to the library .6 of nonblocking communicators, which have no memory beside.;"'
unset JOB_CALL JOB_WAITS

# ---- where ranks lie, and what they were given ----
nodes=$'ranks 8\nnodes 2x4\nrule allreduce 8:1 0 4x2\n'
LD_PRELOAD=$library HIERSEARCH_NCCL_PLANS=$nodes ranks 8 bash -c 'NCCL_HOSTID=$((RANK / 4)) exec ./carried groups'
check "ranks that lie as the plans have it" 'well && said "$(by_plan 3)"'
LD_PRELOAD=$library HIERSEARCH_NCCL_PLANS=$nodes ranks 8 bash -c 'NCCL_HOSTID=$((RANK % 2)) exec ./carried groups'
check "ranks that lie on as many nodes, in another order, go to the library, and it is told" 'well && grep -qE "$(by_plan 0)" 0.said &&
    grep -q "^hiersearch run: 8 ranks of a communicator have no plans: they lie on nodes otherwise" 0.said && [ -z "$(cat [1-7].said)" ]'
planned 8 "$nodes" groups
check "so do ranks of one node" 'well && grep -qE "$(by_plan 0)" 0.said && grep -q "they lie on nodes otherwise" 0.said'
# Machines of 2 GPUs each, NVLinks between 4. HIP has none.
if [ "$vendor" = nccl ]; then
    "${CC:-cc}" -std=gnu11 -O1 -shared -fPIC -Wl,-soname,libnvidia-ml.so.1 -o libnvidia-ml.so.1 "$here/nccl_nvml.c" >out 2>&1
    LD_PRELOAD="$library $scratch/libnvidia-ml.so.1" HIERSEARCH_NCCL_PLANS=$nodes ranks 8 bash -c 'NCCL_HOSTID=$((RANK / 2)) JOB_CLIQUE=$((RANK / 4)) exec ./carried groups'
    check "GPUs of one clique of NVLinks are a node" 'well && said "$(by_plan 3)"'
    LD_PRELOAD="$library $scratch/libnvidia-ml.so.1" HIERSEARCH_NCCL_PLANS=$nodes ranks 8 bash -c 'NCCL_HOSTID=$((RANK / 4)) JOB_CLIQUE=0 exec ./carried groups'
    check "and so are those of one machine still" 'well && said "$(by_plan 3)"'
    LD_PRELOAD="$library $scratch/libnvidia-ml.so.1" HIERSEARCH_NCCL_PLANS=$nodes ranks 8 bash -c 'NCCL_HOSTID=$((RANK / 2)) exec ./carried groups'
    check "not where they are in none" 'well && grep -qE "$(by_plan 0)" 0.said && grep -q "they lie on nodes otherwise" 0.said'
    LD_PRELOAD="$library $scratch/libnvidia-ml.so.1" HIERSEARCH_NCCL_PLANS=$nodes ranks 8 bash -c 'NCCL_HOSTID=$((RANK / 2)) NCCL_MNNVL_ENABLE=0 JOB_CLIQUE=$((RANK / 4)) exec ./carried groups'
    check "nor where NCCL is told to leave them alone" 'well && grep -q "they lie on nodes otherwise" 0.said'
fi
LD_PRELOAD=$library ranks 4 bash -c 'HIERSEARCH_NCCL_PLANS="ranks 4
rule allreduce 4:1 $((RANK == 2)) 2x2" exec ./carried groups'
check "where a rank has another plan none is used, and nothing hangs" 'well && grep -qE "$(by_plan 0)" 0.said && grep -q "have not the same plans all" 0.said'
LD_PRELOAD=$library HIERSEARCH_NCCL_PLANS=$four ranks 4 bash -c 'HIERSEARCH_VERIFY=$((RANK == 3)) exec ./carried groups'
check "nor where one rank alone is to verify" 'well && grep -q "have not the same plans all" 0.said && grep -qE "$(by_plan 0)" 0.said'

# ---- what is verified ----
export HIERSEARCH_VERIFY_BYTES=262144
for JOB_CALL in allreduce reduce-scatter allgather; do
    export JOB_CALL
    rule="ranks 4"$'\n'"rule $JOB_CALL 4:1 0 2x2"$'\n'"rule $JOB_CALL 4:1 $until library"$'\n'
    HIERSEARCH_VERIFY=1 planned 4 "$rule" values
    check "$JOB_CALL: verified: every element is right, and none differs" \
        'well && said "[1-9][0-9]* of NCCL.s calls by plan.*; [1-9][0-9]* compared with NCCL.s default call, 0 of them differ"'
    HIERSEARCH_VERIFY=3 planned 4 "$rule" values streams graphs parts
    check "$JOB_CALL: every third call verified, on several streams and communicators" 'well && said "; [1-9][0-9]* compared with NCCL.s default call, 0 of them differ"'
    HIERSEARCH_VERIFY=1 planned 4 "$rule" behind
    check "$JOB_CALL: verified: what has not come yet is not compared" 'well && said "$(by_plan 60); [1-9][0-9]* compared with NCCL.s default call, 0 of them differ"'
    HIERSEARCH_VERIFY=1 STANDIN_ONE_KERNEL=1 planned 4 "$rule" orders
    check "$JOB_CALL: verified: none of it is at work at once" 'well && said "; [1-9][0-9]* compared with NCCL.s default call, 0 of them differ"'
    export STANDIN_FAULT=wrong:$JOB_CALL:2
    planned 4 "$rule" values
    check "$JOB_CALL: a plan that is wrong is not seen without" '! well && grep -q "wrong: element" ./*.said'
    HIERSEARCH_VERIFY=1 planned 4 "$rule" values
    check "$JOB_CALL: with --verify it is told, and the program gets the library's results" 'well && grep -q " compared with NCCL.s default call, " 0.said &&
        grep -q "^hiersearch run: --verify: $JOB_CALL of .* bytes among 4 ranks: element [0-9]* is another by plan" ./*.said'
    unset STANDIN_FAULT
done
unset JOB_CALL
HIERSEARCH_VERIFY=2 planned 4 $'ranks 4\nrule allreduce 4:1 0 2x2\n' groups
check "every second call is" 'well && said "$(by_plan 3), 3 left.*; 2 compared with NCCL.s default call, 0 of them differ"'
HIERSEARCH_VERIFY=1 JOB_WAITS=0 planned 4 "$four" groups
check "where nobody waits nothing is verified, nor goes by plan" 'well && said "$(by_plan 0), 6 left.*; 0 compared"'
LD_PRELOAD=$library HIERSEARCH_VERIFY=1 HIERSEARCH_NCCL_PLANS=$four ranks 4 bash -c '((RANK == 2)) && export JOB_NO_MEMORY=1; exec ./carried groups'
check "where one rank has no memory for it none verifies" 'well && grep -qE "$(by_plan 3),.*; 0 compared" 0.said && grep -q "^hiersearch run: --verify: 4 ranks of a communicator go by plan unverified" 0.said'
for fault in hang error; do
    HIERSEARCH_VERIFY=1 JOB_FAULT=$fault:allreduce:2 planned 4 "$four" faults
    check "a call that is verified is aborted as others are ($fault)" 'well && said "$(by_plan 1);"'
done
unset HIERSEARCH_VERIFY_BYTES

# ---- what goes wrong ----
for stage in reduce-scatter allreduce allgather; do
    export JOB_FAULT=hang:$stage:2
    planned 4 "$four" faults
    check "a plan whose $stage hangs is aborted as a whole, and nothing of it is left" 'well && said "$(by_plan 1)"'
    export JOB_FAULT=error:$stage:2
    planned 4 "$four" faults
    check "an error of its $stage is the program's communicator's" 'well && said "$(by_plan 1)"'
done
unset JOB_FAULT

STANDIN_NODE_DESTROY=1 planned 8 "$eight" "${ways[@]}"
check "ranks of a node destroy parts together, in one order" 'well && said "$(by_plan "1[0-9][0-9]")"'
for JOB_CALL in allreduce reduce-scatter allgather; do
    export JOB_CALL
    LD_PRELOAD=$library HIERSEARCH_NCCL_PLANS="ranks 4"$'\n'"rule $JOB_CALL 4:1 0 2x2"$'\n'"rule $JOB_CALL 4:1 $until library" \
        ranks 4 bash -c '((RANK == 2)) && export JOB_CAPTURE_ERROR=1; exec ./carried streams graphs groups'
    [ $JOB_CALL = reduce-scatter ] && numbers="13, 4" || numbers="14, 3"
    check "$JOB_CALL: where one rank cannot ask whether a stream is captured all go one way" 'well && said "$(by_plan "${numbers%,*}"),${numbers#*,} left"'
done
unset JOB_CALL

# ---- what plans cost ----
# splits NP RULES: as each rank counted them.
splits() {
    STANDIN_COUNTS_SPLITS=1 planned "$1" "$2" groups
    sort -u <<<"$(grep -h '^standin: .* splits' ./*.said)" >counted
}
splits 8 $'ranks 8\nnodes 1x8\nrule allreduce 8:1 0 4x2\nrule reduce-scatter 8:1 0 4x2\n'
check "a plan of two layers costs two splits, none of all ranks" 'well && [ "$(cat counted)" = "standin: 2 splits, 0 of all ranks" ]'
check "and that is told, with what they took of the GPU and the time" \
    'grep -qE "; 1 communicator with plans cost 2 splits, 96[.]0 MiB, [0-9.]+ (us|ms|s)\$" 0.said'
splits 8 "${eight/ranks 8/$'ranks 8\nnodes 1x8'}"
check "rules of three sizes cost one for each layer that they have" 'well && [ "$(cat counted)" = "standin: 4 splits, 0 of all ranks" ]'
splits 8 $'ranks 8\nrule allreduce 8:1 0 4x2\nrule allgather 8:1 0 2x4\nrule reduce-scatter 8:1 0 2x2x2\n'
check "rules of three collectives, too" 'well && [ "$(cat counted)" = "standin: 5 splits, 0 of all ranks" ]'
HIERSEARCH_NCCL_MEMORY=1048576 planned 8 $'ranks 8\nrule reduce-scatter 8:1 0 4x2\n' nothing groups
check "memory for reduce-scatters is bounded" 'well && said "; 1 communicator with plans cost 2 splits, 33.0 MiB, "'
LD_PRELOAD=$library HIERSEARCH_NCCL_PLANS=$four ranks 4 bash -c '((RANK == 1)) && export HIERSEARCH_NCCL_MEMORY=1000; exec ./carried groups'
check "by all ranks alike" 'well && grep -q "have not the same plans all" 0.said && [ -z "$(cat [1-3].said)" ]'
JOB_WAITS=0 splits 8 $'ranks 8\nrule allreduce 8:1 0 4x2\n'
check "where nobody waits ranks agree by two splits more" 'well && [ "$(cat counted)" = "standin: 4 splits, 2 of all ranks" ]'
splits 8 $'ranks 8\nrule allreduce 4:1 0 2x2\n'
check "a communicator that no rule is for costs none" 'well && [ "$(cat counted)" = "standin: 0 splits, 0 of all ranks" ]'
splits 8 $'ranks 8\nnodes 2x4\nrule allreduce 8:1 0 4x2\n'
check "nor one whose ranks lie otherwise" 'well && [ "$(cat counted)" = "standin: 0 splits, 0 of all ranks" ] && ! grep -q cost 0.said'
for size in 4 2; do
    STANDIN_FAULT=refuse:split:$size planned 8 $'ranks 8\nrule allreduce 8:1 0 4x2\n' groups
    check "where a split of $size fails on some ranks none has plans, and nothing is left" \
        'well && grep -qE "$(by_plan 0), 6 left" 0.said && grep -q "have no plans: NCCL could not split it" 0.said && [ -z "$(cat [1-7].said)" ]'
done

# ---- pairs, and what is saved ----
# By STANDIN_SECONDS: 2x2 of an allreduce takes 3 calls of 0.1 ms, the library's own call 1 ms.
saved() { echo "$(by_plan "$1"), $2 by NCCL for comparison.*; about $3 in plans, estimated $4 $5 .90 % interval $5 to $5. .ratio $6 from $7 paired calls.(;|\$)"; }
unset HIERSEARCH_REPRODUCIBLE
export JOB_CALLS=40
STANDIN_SECONDS=4:1e-3,2:1e-4 planned 4 "$four" many
# Of each of two sizes 4 of the first 10 calls go by the library: 33 calls saved 0.7 ms each.
check "what plans save is told, by pairs of calls of a size" 'well && said "$(saved 33 8 "9.9[0]* ms" saving "23.1[0]* ms" 3.33 8)"'
STANDIN_SECONDS=4:1e1,2:1 planned 4 "$four" many
check "no saving is longer than the job was" 'well && said "; about [^;]* in plans, estimated saving ([0-9.]+) (ms|s) .90 % interval \\1 \\2 to \\1 \\2[)]" && ! said "231"'
STANDIN_SECONDS=4:3e-4,2:1e-4 planned 4 "$four" many
check "where plans take as long neither is claimed" 'well && said "; about 9.9[0]* ms in plans, no estimated saving or loss beyond chance .ratio 1.00 from 8 paired calls.;"'
HIERSEARCH_REPRODUCIBLE=1 STANDIN_SECONDS=4:1e-3,2:1e-4 planned 4 "$four" many
check "--reproducible: none goes by the library, and the saving is not known" 'well && said "$(by_plan 41); saving not known: --reproducible leaves no call to compare;"'
HIERSEARCH_VERIFY_BYTES=262144 HIERSEARCH_VERIFY=1 planned 4 "$four" many
check "nor where every call is verified" 'well && said "$(by_plan 41); 4[01] compared .*; saving not known: no pair of calls was timed .those in graphs and of nonblocking communicators have none.;"'
HIERSEARCH_VERIFY_BYTES=262144 HIERSEARCH_VERIFY=3 STANDIN_SECONDS=4:1e-3,2:1e-4 planned 4 "$four" many
check "every third call verified, beside pairs" 'well && said "$(by_plan 33), 8 by NCCL for comparison; [1-9][0-9]* compared with NCCL.s default call, 0 of them differ; about .*from 8 paired calls"'
for JOB_CALL in reduce-scatter allgather; do
    export JOB_CALL
    STANDIN_SECONDS=4:1e-3,2:1e-4 planned 4 "ranks 4"$'\n'"rule $JOB_CALL 4:1 0 2x2"$'\n'"rule $JOB_CALL 4:1 170000 library"$'\n' many
    check "$JOB_CALL: what plans save, of two calls of 0.1 ms each" 'well && said "$(saved 33 8 "6.6[0]* ms" saving "26.4[0]* ms" 5.00 8)"'
done
unset JOB_CALL
export JOB_CALLS=720
lost="$(saved 691 16 "207.3 ms" loss "138.2 ms" 0.33 16)"
STANDIN_SECONDS=4:1e-4,2:1e-4 planned 4 "$four" many
# Sums are asked for behind call 96 of a size, the 193rd of all, by 374 kernels, and looked at from 1398 on: at the 708th call.
check "a plan that loses is left by all ranks at one call, 1024 kernels behind the asking" \
    'well && said "$lost" && said "14 left to the library .14 after a plan lost against the library."'
LD_PRELOAD=$library HIERSEARCH_NCCL_PLANS=$four ranks 4 bash -c '((RANK == 3)) && s=3.5e-4 || s=1e-4; STANDIN_SECONDS=4:$s,2:1e-4 exec ./carried many'
check "so it is where one rank times otherwise" 'well && said "$lost" && said "14 left to the library .14 after a plan lost"'
LD_PRELOAD=$library HIERSEARCH_NCCL_PLANS=$four ranks 4 bash -c '((RANK >= 2)) && s=3.5e-4 || s=1e-4; STANDIN_SECONDS=4:$s,2:1e-4 exec ./carried many'
check "two ranks of four are not enough" 'well && said "$(by_plan 7[0-9][0-9]), 16 by NCCL for comparison; about "'
JOB_WAITS=0 planned 4 "$four" many
check "on communicators that nobody waits for none goes by the library to compare" 'well && said "$(by_plan 721); saving not known: no pair of calls was timed .those in graphs and of nonblocking communicators have none.;"'
unset JOB_CALLS
for JOB_CALL in allreduce reduce-scatter allgather; do
    export JOB_CALL
    planned 4 "ranks 4"$'\n'"rule $JOB_CALL 4:1 0 2x2"$'\n'"rule $JOB_CALL 4:1 170000 library"$'\n' values groups streams graphs parts behind handles orders
    check "$JOB_CALL: every element is right where some calls go by the library" 'well && said "$(by_plan "[1-9][0-9]+"), [1-9][0-9]* by NCCL for comparison"'
done
unset JOB_CALL
export HIERSEARCH_REPRODUCIBLE=1

# ---- by the command ----
"$hiersearch" predict '4xA100, 1xHDR200, 16' --np 8 --size 64KiB,4MiB -q -o r.json >out 2>&1
sed -i 's/"gain_low": 0[.][0-9]*/"gain_low": 1.01/' r.json # as if it were sure: what may lose has no rule
on_nodes='NCCL_HOSTID=$((RANK / 4)) exec "$@"'
ranks 8 bash -c "$on_nodes" - "$hiersearch" run --reproducible r.json -- ./carried groups
check "hiersearch run: a result of NCCL's is for calls of NCCL; small ones are the library's" 'well && said "$(by_plan 0), 6 left to the library \(6 of sizes"'
sed -i 's/"message_bytes": 65536/"message_bytes": 2048/; s/"message_bytes": 4194304/"message_bytes": 16384/' r.json
ranks 8 bash -c "$on_nodes" - "$hiersearch" run --reproducible r.json -- ./carried groups
check "and the larger go by plan" 'well && said "$(by_plan 3)"'
ranks 8 bash -c "$on_nodes" - "$hiersearch" run r.json -- ./carried groups
check "the third of a size goes by the library, to compare, but with --reproducible" 'well && said "$(by_plan 2), 1 by NCCL for comparison, 3 left.*; saving not known: no pair of calls was timed"'
ranks 8 "$hiersearch" run --reproducible r.json -- ./carried groups
check "not where ranks lie otherwise" 'well && grep -qE "$(by_plan 0)" 0.said'
ranks 8 "$hiersearch" run --reproducible --elsewhere r.json -- ./carried groups
check "but with --elsewhere" 'well && said "$(by_plan 3)"'
ranks 8 "$hiersearch" run --reproducible --elsewhere -o counts.json r.json -- ./carried groups
"$hiersearch" profile --read counts.json.ranks >out 2>&1
check "what passes can be counted, too" 'well && grep -qE "ncclAllReduce .*" out'
if [ -e "$build/libhiersearch-mpi.so" ]; then
    "$hiersearch" predict 'node:4@2GB/s~1us,ib@1GB/s~10us;library=mpich' --np 8 --size 4MiB -q -o mpi.json >out 2>&1
    sed -i 's/"gain_low": 0[.][0-9]*/"gain_low": 1.01/' mpi.json
    ranks 8 bash -c "$on_nodes" - "$hiersearch" run --reproducible mpi.json r.json -- ./carried groups
    check "a result of MPI's calls beside it is for those" 'well && said "$(by_plan 3)"'
    ranks 8 bash -c "$on_nodes" - "$hiersearch" run --reproducible mpi.json -- ./carried groups
    check "and alone for none of NCCL's" 'well && [ -z "$(cat ./*.said)" ]'
fi
# predicted COLLECTIVE BYTES [LAYOUT]: a result by which 4x2 is better than the library's own call, of a message of so many bytes.
predicted() {
    "$hiersearch" predict '4xA100, 1xHDR200, 16' --np 8 --size 4MiB --collective "$1" ${3:+--layout "$3"} -q -o "$1.json" >out 2>&1
    "${PYTHON3:-/usr/bin/python3}" - "$1.json" "$2" <<'END'
import json, sys
result = json.load(open(sys.argv[1]))
one = result["results"][0]
one["candidates"] = [{"plan": plan, "predicted_seconds": seconds} for plan, seconds in (("4x2", 1e-4), ("default", 2e-4))]
one["verdict"].update(advice="plan", plan="4x2", gain=2, gain_low=2, gain_high=2, share=1)
one.update(message_bytes=int(sys.argv[2]), best="4x2")
json.dump(result, open(sys.argv[1], "w"))
END
}
for JOB_CALL in reduce-scatter allgather; do
    export JOB_CALL
    predicted $JOB_CALL 32768
    ranks 8 "$hiersearch" run --reproducible --elsewhere r.json $JOB_CALL.json -- ./carried groups
    check "$JOB_CALL: a result beside another's" 'well && said "$(by_plan 3), 3 left to the library .3 in groups"'
done
ranks 8 "$hiersearch" run --reproducible --elsewhere -o counts.json reduce-scatter.json allgather.json -- ./carried groups
"$hiersearch" profile --read counts.json.ranks >out 2>&1
check "results of two collectives; and what passes is counted, by plan or not, as the program calls it" 'well && said "$(by_plan 3), 3 left" &&
    grep -qE "ncclAllGather +all 8 .* 39.06KiB +6 " out'
for JOB_CALL in reduce-scatter allgather; do
    export JOB_CALL
    predicted $JOB_CALL 32768 packed
    ranks 8 "$hiersearch" run --reproducible --elsewhere $JOB_CALL.json -- ./carried groups
    check "$JOB_CALL: a result with packed layout" 'well && said "$(by_plan 3), 3 left to the library .3 in groups"'
    "$hiersearch" export $JOB_CALL.json --to rules >out 2>&1
    check "$JOB_CALL: whose rules end, as they take memory" 'grep -q "^rule $JOB_CALL 8:1 .* 4x2 packed$" out && grep -q "^rule $JOB_CALL 8:1 65537 library$" out'
done
export JOB_CALL=reduce-scatter
predicted reduce-scatter 16384
JOB_CALL=reduce-scatter ranks 8 "$hiersearch" run --reproducible --elsewhere reduce-scatter.json -- ./carried groups
check "reduce-scatters of more than twice the result's bytes are the library's" 'well && said "$(by_plan 0), 6 left to the library .6 of sizes"'
unset JOB_CALL
"$hiersearch" predict '4xA100, 1xHDR200, 16' --np 8 --size 4MiB --collective all-to-all -q -o other.json >out 2>&1
ranks 1 "$hiersearch" run other.json -- ./carried
check "another collective is refused before the program begins" '[ "$statuses" = "2 " ] && said "^hiersearch run: other.json: expected a result of NCCL about allreduce, reduce-scatter or allgather, which run carries out, found all-to-all$"'
finish

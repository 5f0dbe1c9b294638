#!/bin/bash
# Both interposers under AddressSanitizer and UBSan: programs of all kinds, wrong ones among them, and files and rules that
# are hostile. No test here has a limit of time that a busy machine meets. TAP on stdout.
#     tests/apply/test_sanitized.sh mpich|openmpi BUILD       after: make BUILD=BUILD sanitized-interposers
set -u
mpi=${1:?mpich or openmpi} build=$(realpath -m "${2:?build folder}")
here=$(cd "$(dirname "$0")" && pwd -P)
sanitized=$build/sanitized-interposers
echo 'int main(void) { return 0; }' | "${CC:-cc}" -fsanitize=address,undefined -x c -o /dev/null - 2>/dev/null ||
    { echo "1..0 # SKIP the compiler has no sanitizers"; exit 0; }
# shellcheck source=tests/apply/nccl_ranks.sh
. "$here/nccl_ranks.sh"
tap_shows=(out err found)
# A report is a line of its own on stderr, whatever the program's status is.
export ASAN_OPTIONS=detect_leaks=0:verify_asan_link_order=0:log_path=$scratch/report UBSAN_OPTIONS=print_stacktrace=1:log_path=$scratch/report
# Compilers of programs that are built with them.
printf '#!/bin/sh\nexec %s "$@" -fsanitize=address,undefined -g\n' "${CC:-cc}" >compile
chmod +x compile
export MPICH_CC=$scratch/compile OMPI_CC=$scratch/compile
# clean: nothing was found since before.
clean() {
    cat report.* >found 2>/dev/null
    grep -hE 'ERROR: AddressSanitizer|runtime error:' out err ./*.said >>found 2>/dev/null
    rm -f report.*
    [ ! -s found ]
}

check "the interposers that are tried are built with them" 'for so in "$sanitized"/*.so; do nm -D "$so" | grep -q __asan_report || exit 1; done'

# ---- MPI ----
# run NP WORDS...: under `run`, counted too, of the rules in $rules; sets status.
run() {
    local np=$1
    shift
    rm -rf p.ranks
    timeout -k 5 600 "$here/../runner/launch.sh" "$mpi" "$np" env LD_PRELOAD="$sanitized/libhiersearch-mpi.so" HIERSEARCH_PLANS="$rules" \
        HIERSEARCH_VERIFY="${verify:-0}" HIERSEARCH_PROFILE_FOLDER="$scratch/p.ranks" "$@" >out 2>err </dev/null
    status=$?
}
if command -v "mpicc.$mpi" >/dev/null && [ -e "$sanitized/libhiersearch-mpi.so" ]; then
    for program in carried job wrong ../../bench/apply/comms; do
        "mpicc.$mpi" -D_GNU_SOURCE -O1 -w -o "$(basename $program)" "$here/$program.c" 2>err || cat err
    done
    "mpicc.$mpi" -std=c11 -D_GNU_SOURCE -O1 -o random_calls "$here"/random_*.c -lm -lpthread 2>err || cat err
    whole=$'ranks 4\nrule allreduce 4:1 0 2x2\nrule reduce-scatter 4:1 0 2x2\nrule allgather 4:1 0 2x2\nrule all-to-all 4:1 0 2x2\nrule allreduce 2:2 0 2\n'
    rules=$whole
    for call in './carried 5001 3' './comms 20 4096 3' './comms 1 4000000 2' './random_calls 60 1 100000' './random_calls 60 2 100000' ./wrong; do
        # shellcheck disable=SC2086 # words
        run 4 $call
        check "$mpi: $call is clean by plans, and counted" '[ $status = 0 ] && clean && [ "$(ls p.ranks | wc -l)" = 4 ]'
    done
    verify=1
    run 4 ./random_calls 60 3 100000
    check "$mpi: also where every call is checked" '[ $status = 0 ] && clean'
    verify=0
    for end in die abort; do
        run 4 ./job "$end"
        check "$mpi: a job that ends by $end is clean, and leaves its counts" '[ $status != 0 ] && clean && [ "$(ls p.ranks | wc -l)" = 4 ]'
    done
    # What lies where the counts go: a folder, a FIFO, a device, a link to nowhere.
    for lies in 'mkdir p.ranks/0.counts' 'mkfifo p.ranks/0.counts' 'ln -s /dev/full p.ranks/0.counts' 'ln -s no/where p.ranks/0.counts'; do
        rm -rf p.ranks && mkdir p.ranks && $lies
        timeout -k 5 600 "$here/../runner/launch.sh" "$mpi" 2 env LD_PRELOAD="$sanitized/libhiersearch-mpi.so" \
            HIERSEARCH_PROFILE_FOLDER="$scratch/p.ranks" ./job >out 2>err </dev/null
        status=$?
        check "$mpi: with ${lies%% *} ${lies#* } the job ends as without" '[ $status = 0 ] && clean'
    done
    # Rules with anything in them are refused at MPI_Init, or run.
    spoilt=0
    for ((seed = 1; seed <= 12; seed++)); do
        rules=$("${PYTHON3:-/usr/bin/python3}" - "$seed" "$whole" <<'END'
import random, sys
draw = random.Random(int(sys.argv[1]))
text = list(sys.argv[2])
for _ in range(draw.randint(1, 6)):
    at = draw.randrange(len(text))
    text[at] = draw.choice(["", text[at] * 40, "-", "9" * 30, "\x01", "x0", "f", "/", " ", "\n", ":"])
print("".join(text))
END
)
        run 2 ./comms 1 4000
        clean || spoilt=$seed
    done
    check "$mpi: rules with anything in them are clean" '[ $spoilt = 0 ]'
else
    skip "programs of MPI are clean" "no mpicc.$mpi"
fi

# ---- NCCL, as the stand-in has it ----
standin=$build/tests/nccl/libnccl.so.2 library=$sanitized/libhiersearch-nccl.so
if [ -e "$standin" ]; then
    flags=(-std=gnu11 -O1 -I"$source/src" -isystem "$nccl/include" -isystem "$cuda/include")
    ./compile "${flags[@]}" -shared -fPIC -Wl,-soname,libcuda.so.1 -o libcuda.so.1 "$here/nccl_driver.c" >out 2>&1
    for program in carried job; do
        ./compile "${flags[@]}" -o "nccl_$program" "$here/nccl_$program.c" -Wl,--no-as-needed ./libcuda.so.1 "$standin" \
            -Wl,-rpath,"${standin%/*}" -Wl,-rpath,"$scratch" -lm >>out 2>&1 || cat out
    done
    # Beyond these bytes reduce-scatters are the library's: memory for them is taken up to there.
    two=$'ranks 4\nrule allreduce 4:1 0 2x2\nrule reduce-scatter 4:1 0 2x2\nrule reduce-scatter 4:1 170000 library\nrule allgather 4:1 0 2x2\n'
    export JOB_CALLS=800 JOB_COMMS=3
    for call in "nccl_carried values groups" "nccl_carried streams graphs" "nccl_carried parts makers" "nccl_carried many suspended configured" \
        nccl_job "nccl_job die"; do
        rules=$two
        [[ $call = nccl_carried* ]] || rules="" # it is counted alone
        # shellcheck disable=SC2086 # words
        HIERSEARCH_NCCL_PLANS=$rules HIERSEARCH_PROFILE_FOLDER=$scratch/n.ranks LD_PRELOAD=$library ranks 4 ./$call
        check "NCCL: $call is clean, and counted" '[[ $statuses =~ ^(0 |137 )+$ ]] && clean && ls n.ranks/nccl.* >why'
    done
    for call in reduce-scatter allgather; do
        JOB_CALL=$call HIERSEARCH_NCCL_MEMORY=4096 HIERSEARCH_NCCL_PLANS="ranks 4"$'\n'"rule $call 4:1 0 2x2 packed" LD_PRELOAD=$library \
            ranks 4 ./nccl_carried groups streams behind
        check "NCCL: $call of packed layout in pieces is clean" '[[ $statuses =~ ^(0 )+$ ]] && clean'
    done
    mkdir n-too.ranks && : >n-too.ranks/full && chmod 500 n-too.ranks
    HIERSEARCH_NCCL_PLANS=$'ranks 4\nrule allreduce 4:1 0 2x\x01\n' HIERSEARCH_PROFILE_FOLDER=$scratch/n-too.ranks/full LD_PRELOAD=$library ranks 4 ./nccl_job
    check "NCCL: rules that are none, and a folder that is a file, are clean" '[ "$statuses" = "0 0 0 0 " ] && clean'
else
    skip "programs of NCCL are clean" "no nccl.h, or no stand-in"
fi
finish

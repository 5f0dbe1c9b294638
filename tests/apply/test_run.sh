#!/bin/bash
# `hiersearch run` in front of programs that know nothing of it: what goes by plan, what does not, and what is refused. What
# comes out is checked call by call in test_random.sh. TAP on stdout.
#     tests/apply/test_run.sh mpich|openmpi BUILD [HIERSEARCH]
set -u
mpi=${1:?mpich or openmpi} build=$(realpath -m "${2:?build folder}")
hiersearch=$(realpath -m "${3:-$build/hiersearch}")
here=$(cd "$(dirname "$0")" && pwd -P)
command -v "mpicc.$mpi" >/dev/null || { echo "1..0 # SKIP no mpicc.$mpi"; exit 0; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
# shellcheck source=tests/tap.sh
. "$here/../tap.sh"
tap_before="$mpi: "
tap_shows=(out err)
# run NP ARGUMENTS...: hiersearch run; sets status.
run() {
    local np=$1
    shift
    timeout -k 5 120 "$here/../runner/launch.sh" "$mpi" "$np" "$hiersearch" run --interposer "$build/libhiersearch-mpi.so" \
        "$@" >out 2>err </dev/null
    status=$?
}
said() { grep -qE -- "$1" err; }
# predicted FILE OPTIONS...: a result for 4 ranks of one node.
predicted() {
    local file=$1
    shift
    "$hiersearch" predict "node:4@2GB/s~1us,ib@1GB/s~10us" --np 4 -q -o "$file" "$@" >/dev/null 2>err
}

"mpicc.$mpi" -O1 -o carried "$here/carried.c" 2>err || cat err
for c in allreduce reduce-scatter allgather all-to-all; do
    predicted $c.json --collective $c --size 16KiB,1MiB
done
all=(allreduce.json reduce-scatter.json allgather.json all-to-all.json)

"$hiersearch" export allreduce.json --to rules >rules.txt 2>err
check "rules are text" '[ "$(grep -v "^#" rules.txt | head -2 | tail -1)" = "rule allreduce 4:1 0 library" ] && grep -q "^ranks 4$" rules.txt'
run 4 "${all[@]}" -- ./carried 50000 6
check "all ranks' calls are carried out by plan, and the result is the program's" '[ $status = 0 ] && [ ! -s out ]'
# 5 calls a round of all ranks, of which a pair is compared twice for each collective; pairs have no rule.
check "one line says what was done" '[ "$(wc -l <err)" = 1 ] && said "^hiersearch run: per rank: 2[0-9] calls used a plan, [0-9]+ used MPI for comparison, 31 left to the library \(30 of communicators without a rule for them, 1 with parts of different sizes\); .* in plans, (estimated (saving|loss) [^(]* .90 % interval .* to .*[)]|no estimated saving or loss beyond chance) \(ratio .* from [0-9]+ paired calls\)$"'
run 4 --reproducible "${all[@]}" -- ./carried 50000 6
check "--reproducible leaves none to the library" '[ $status = 0 ] && said "per rank: 30 calls used a plan, 31 left" && ! said comparison'
run 4 --reproducible "${all[@]}" -- ./carried 1 6
check "small messages are the library's" '[ $status = 0 ] && said "0 calls used a plan, 61 left to the library \(30 of communicators without a rule for them, 30 of sizes for which the library.s default call is best, 1 with"'
run 4 --verify 1 --reproducible "${all[@]}" -- ./carried 50001 6
check "--verify checks every call, of counts that no layer divides too" '[ $status = 0 ] && said "; 30 checked, 0 wrong$"'
"mpicc.$mpi" -shared -fPIC -o broken.so "$here/broken_sums.c" 2>err
LD_PRELOAD=$PWD/broken.so run 4 --verify 1 --reproducible "${all[@]}" -- ./carried 50000 6
check "a sum that is wrong is seen, the library's result taken, and the plan not again" '[ $status = 0 ] && \
    said "[0-9]+ after a plan.s result was wrong.*; [0-9]+ checked, [1-9][0-9]* wrong$"'
LD_PRELOAD=$PWD/broken.so run 4 --reproducible "${all[@]}" -- ./carried 50000 6
check "which no check would have seen" '[ $status = 1 ] && grep -q "elements are wrong" out'
mkdir cuda && cc -shared -fPIC -o cuda/libcuda.so.1 -Wl,-soname,libcuda.so.1 "$here/gpu_memory.c" 2>err
LD_PRELOAD=$PWD/cuda/libcuda.so.1 run 4 --reproducible "${all[@]}" -- ./carried 50000 2
check "memory of a GPU is copied by its driver" '[ $status = 0 ] && said "^[1-9][0-9]* copies of a GPU" && said "10 calls used a plan"'
LD_PRELOAD='' timeout 180 "$here/../runner/launch.sh" "$mpi" 4 env LD_PRELOAD="$build/libhiersearch-mpi.so" \
    HIERSEARCH_PLANS="$(cat rules.txt)" ./carried 50000 >out 2>err
status=$?
check "a rules.txt does the same by hand" '[ $status = 0 ] && said "per rank: 2 calls used a plan"'
"$hiersearch" predict "node:4@2GB/s~1us;library=openmpi" --np 4 --size 200000 -q -o timed.json >/dev/null 2>err
"$hiersearch" export timed.json --to rules --plan 2x2 >timed.txt 2>err
check "rules have what MPI's default call is expected to take" 'grep -qE "^time allreduce 4:1 200000 [0-9.e-]+ [0-9.e-]+$" timed.txt'
for time in "0.5 1:as fast as expected" "1e-8 1e-7:slow, or ranks come late"; do
    LD_PRELOAD='' timeout 180 "$here/../runner/launch.sh" "$mpi" 4 env LD_PRELOAD="$build/libhiersearch-mpi.so" \
        HIERSEARCH_PLANS="$(printf 'ranks 4\nrule allreduce 4:1 0 2x2\ntime allreduce 4:1 200000 %s\n' "${time%:*}")" ./carried 50000 60 >out 2>err
    status=$?
    check "the library's calls of pairs are held against them: ${time#*:}" '[ $status = 0 ] && \
        said "^hiersearch run: MPI.s default AllReduce of 200kB takes .*s, expected .* to .*s: ${time#*:}"'
done
run 4 -o p.json "${all[@]}" -- ./carried 50000
check "what passes can be counted, too" '[ $status = 0 ] && grep -q MPI_Reduce_scatter_block p.json && said "calls used a plan"'

run 2 "${all[@]}" -- ./carried 50000
check "another number of processes ends at MPI_Init, with the reason" '[ $status = 2 ] && [ ! -s out ] && said "^hiersearch run: the plans are for 4 processes, the job has 2$"'
predicted spread.json --size 1MiB
"$hiersearch" predict "node:2@2GB/s~1us,ib@1GB/s~10us" --np 4 --size 1MiB -q -o spread.json >/dev/null 2>err
run 4 spread.json -- ./carried 500000
check "ranks that lie otherwise, too" '[ $status = 2 ] && [ ! -s out ] && said "are for ranks that lie, in their order, on nodes 2x2; these lie on nodes 1x4 \(nodes x ranks\)"'
run 4 --elsewhere spread.json -- ./carried 500000
check "--elsewhere runs them" '[ $status = 0 ] && said "2 calls used a plan"'
run 1 allreduce.json allreduce.json -- ./carried 1
check "the same twice is refused before the job begins" '[ $status = 2 ] && said "rules of these results: line [0-9]+: allreduce of groups of 4: expected it once"'
run 1 allreduce.json -- ./no-such-program
check "a program that is not there is told" '[ $status = 1 ] && said "cannot run ./no-such-program"'
run 1 allreduce.json
check "none behind -- is told" '[ $status = 2 ] && said "expected a program behind --"'
run 1 no.json -- true
check "a result that is not there is told" '[ $status = 2 ] && said "no.json"'
run 4 no.json -- true
check "of 4 ranks one tells" '[ $status = 2 ] && [ "$(grep -c "^hiersearch" err)" = 1 ] && said "^hiersearch run: .*no.json"'
run 4 --nonsense allreduce.json -- true
check "one tells of a wrong option, too" '[ $status = 2 ] && [ "$(grep -c "^hiersearch" err)" = 1 ] && said "nonsense"'
# Open MPI gives the first rank a terminal, which is narrower: lines are broken elsewhere.
for words in --help 'run --help' 'help run' ''; do
    # shellcheck disable=SC2086 # words
    NO_COLOR=1 timeout -k 5 180 "$here/../runner/launch.sh" "$mpi" 4 "$hiersearch" $words >out 2>err </dev/null
    status=$?
    # shellcheck disable=SC2086
    first=$("$hiersearch" $words | head -c 40)
    check "one prints the help of \`hiersearch $words\`" '[ $status = 0 ] && [ "$(grep -cF "$first" out)" = 1 ]'
done
timeout -k 5 180 "$here/../runner/launch.sh" "$mpi" 4 "$hiersearch" nonsense >out 2>err </dev/null
status=$?
check "and one tells of a command that there is not" '[ $status = 2 ] && [ "$(grep -c "^hiersearch" err)" = 1 ] && said "unknown command"'

"$hiersearch" predict "node:4@2GB/s~1us,ib@1GB/s~10us" --np 4 --mesh tp=2,dp=2 --group tp --size 1KiB -q \
    -o pairs.json >/dev/null 2>err
run 4 --reproducible pairs.json allreduce.json -- ./carried 50000 6
check "groups of a mesh are found among a program's communicators" \
    '[ $status = 0 ] && [ ! -s out ] && said "per rank: 24 calls used a plan, 37 left to the library \(37 of communicators"'

"mpicc.$mpi" -O1 -D_GNU_SOURCE -o comms "$here/../../bench/apply/comms.c" 2>err
# A plan that loses against the library is left at the sixth pair, of all ranks alike; of --reproducible there are none.
"mpicc.$mpi" -shared -fPIC -D_GNU_SOURCE -o slow.so "$here/slow_sends.c" 2>err
LD_PRELOAD=$PWD/slow.so run 4 allreduce.json -- ./comms 1 16384 40
check "a plan that loses is left to the library after 66 calls" '[ $status = 0 ] && \
    said "per rank: 60 calls used a plan, 6 used MPI for comparison, 14 left to the library \(14 after a plan lost against the library\).*estimated loss "'
LD_PRELOAD=$PWD/slow.so run 4 --reproducible allreduce.json -- ./comms 1 16384 40
check "but not where calls have to be reproducible" '[ $status = 0 ] && said "per rank: 80 calls used a plan; "'

# What the library says of a wrong call it says here, too. Open MPI takes buffers that overlap in two of them.
"mpicc.$mpi" -O1 -w -o wrong "$here/wrong.c" 2>err
timeout -k 5 120 "$here/../runner/launch.sh" "$mpi" 4 ./wrong >alone 2>err </dev/null
run 4 --reproducible "${all[@]}" -- ./wrong
taken=2
[ "$mpi" != openmpi ] || taken=4
check "errors of wrong calls are those that the library has" '[ $status = 0 ] && [ "$(wc -l <alone)" = 10 ] && [ "$(grep -c ": 0$" alone)" -lt 10 ] && \
    cmp out alone && said "per rank: $taken calls used a plan"' alone

# Room is shared by communicators, and by what was written of it; beyond a limit a reason of its own says so.
run 4 --reproducible allreduce.json -- ./comms 258 16384
check "258 communicators at once: 256 have plans, and the rest says why not" '[ $status = 0 ] && \
    said "per rank: 512 calls used a plan, 4 left to the library \(4 of communicators beyond the 256 that have plans at once\)"'
peak=$(cut -d" " -f1 out)
timeout -k 5 120 "$here/../runner/launch.sh" "$mpi" 4 ./comms 258 16384 >alone 2>err </dev/null
check "they take less than half a MiB each" '[ $((peak - $(cut -d" " -f1 alone))) -lt $((258 * 512 * 1024)) ]' alone

# A node of single links that the host sends over.
"$hiersearch" systems ac922-4gpu --json | sed 's/^  "levels"/  "executor": "host",\n&/' >links.json
for c in allreduce reduce-scatter allgather; do
    "$hiersearch" predict ./links.json --np 4 --algorithms forest,groups --collective $c --size 1KiB,1MiB -q -o trees-$c.json >/dev/null 2>err
done
"$hiersearch" export trees-allreduce.json --to rules >rules.txt 2>err
check "the trees of a node's links are among the rules" 'grep -q "^trees [a-z]* allreduce 4 [0-9]* [0-3]:[0-9]*:" rules.txt && grep -q "^rule allreduce 4:1 [0-9]* 4[fg]$" rules.txt'
run 4 --reproducible --verify 1 trees-*.json -- ./carried 50001 6
check "calls go by trees" '[ $status = 0 ] && [ ! -s out ] && said "per rank: 24 calls used a plan, .*; 24 checked, 0 wrong$"'
sed -i "s/^trees .*//" rules.txt
LD_PRELOAD='' timeout 180 "$here/../runner/launch.sh" "$mpi" 4 env LD_PRELOAD="$build/libhiersearch-mpi.so" \
    HIERSEARCH_PLANS="$(cat rules.txt)" ./carried 50000 >out 2>err
status=$?
check "without their lines the job ends at MPI_Init, with the reason" '[ $status != 0 ] && said "plan 4[fg]: expected the trees of its layer 1"'

"mpicc.$mpi" -O1 -o job "$here/job.c" 2>err
for end in die abort; do
    timeout -k 5 120 "$here/../runner/launch.sh" "$mpi" 4 ./job $end >out 2>err </dev/null
    alone=$?
    run 4 "${all[@]}" -- ./job $end
    check "$end: the job ends as without" '[ $status = $alone ] && [ $status != 0 ]'
done
if command -v "mpifort.$mpi" >/dev/null && "mpifort.$mpi" -w -fallow-argument-mismatch -o fortran "$here/carried.f90" 2>err; then
    predicted any.json --size 4KiB,8KiB
    predicted gathers.json --collective allgather --size 4KiB,32KiB
    run 4 --reproducible --verify 1 any.json gathers.json -- ./fortran
    check "calls of Fortran go by plan, its MPI_IN_PLACE too" '[ $status = 0 ] && said "per rank: 3 calls used a plan, 1 left .* 3 checked, 0 wrong"'
else
    skip "calls of Fortran go by plan, its MPI_IN_PLACE too" "no mpifort.$mpi"
fi
if command -v "mpifort.$mpi" >/dev/null && "mpifort.$mpi" -o fortran08 "$here/carried08.f90" 2>err; then
    "$hiersearch" predict "node:4@2GB/s~1us,ib@1GB/s~10us" --np 4 --mesh tp=2,dp=2 --group tp --size 4KiB,8KiB \
        -q -o pairs.json >/dev/null 2>err
    for c in reduce-scatter allgather all-to-all; do
        predicted $c.json --collective $c --size 4KiB,32KiB
    done
    run 4 --reproducible --verify 1 any.json pairs.json "${all[@]:1}" -- ./fortran08
    check "those of mpi_f08, too, with ierror and without, in place and from MPI_BOTTOM" \
        '[ $status = 0 ] && [ ! -s out ] && said "per rank: 15 calls used a plan; .*; 15 checked, 0 wrong$"'
    sed -e 's/use mpi$/use mpi_f08/' -e 's/integer :: rank, ranks, pair/type(MPI_Comm) :: pair; integer :: rank, ranks/' \
        "$here/carried.f90" >mixed.f90
    "mpifort.$mpi" -o fortran-1 mixed.f90 2>err && ln -s fortran fortran-0
    # shellcheck disable=SC2016 # a rank's
    run 4 --reproducible --verify 1 any.json gathers.json -- sh -c 'exec ./fortran-$((${PMI_RANK:-$OMPI_COMM_WORLD_RANK} % 2))'
    check "where some ranks call by mpi_f08 and some do not, all go one way" \
        '[ $status = 0 ] && said "per rank: 3 calls used a plan, 1 left .* 3 checked, 0 wrong"'
else
    skip "those of mpi_f08, too" "no mpifort.$mpi, or no mpi_f08"
fi
finish

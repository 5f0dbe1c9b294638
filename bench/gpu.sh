#!/bin/bash
# Times on GPUs: every split against ncclAllReduce (NCCL's choice, and ring alone), with and without CUDA graphs; then host
# and mpi, on GPU memory where they can (each says so).
#     bench/gpu.sh BUILD          (make gpu-bench)
# Environment: MPI, LAUNCH, NP, PYTHON3 as for tests/nccl/gpu_check.sh; SIZES (default 1MiB:1GiB), DEADLINE (seconds for all,
# 3600), BUDGET (seconds per backend, its share of that less a sixth), SYSTEM (adds predictions), BACKENDS, OUT (the folder for
# everything, default results/gpu). Prints algbw and busbw as nccl-tests defines them (n / t, and that times 2 (P - 1) / P), what single
# runs take by the host's clock (eager), and a line of TAP per backend. Exit status: 0 where all that was asked for was measured and right, 77 where something that it
# needs is missing, else 1.
set -u
build=${1:?usage: gpu.sh BUILD}
here=$(cd "$(dirname "$0")" && pwd -P)
[ -z "${PACKAGE_ROOT:-}" ] && [ -d "$build/root" ] && exec "$here/../tests/nccl/in_root.sh" "$build/root" "$0" "$@"
out=${OUT:-$here/../results/gpu}
mpi=${MPI:-mpich}
measure=$build/hiersearch-measure
end=$((SECONDS + ${DEADLINE:-3600}))
read -ra backends <<<"${BACKENDS:-nccl nccl-graph nccl-symmetric host mpi}"
skip() { echo "1..0 # SKIP $1"; exit 77; }

[ -x "$measure" ] || skip "no hiersearch-measure: it was built without MPI"
"$measure" --help 2>&1 | grep -q nccl-graph || skip "built without NCCL: make HAVE_NCCL=1 says what is missing"
launch=(env LIVE=1 "$here/../tests/runner/launch.sh" "$mpi")
[ -z "${LAUNCH:-}" ] || read -ra launch <<<"$LAUNCH"
if [ -z "${LAUNCH:-}" ] && ! command -v "mpiexec.$mpi" >/dev/null && ! command -v "mpirun.$mpi" >/dev/null; then
    skip "no launcher of $mpi: set MPI= or LAUNCH=, or start this by tests/nccl/in_root.sh (docs/gpu.md)"
fi
mkdir -p "$out" || exit 1
timeout -s ABRT -k 10 300 "${launch[@]}" 1 "$measure" --size 4KiB --budget 1s --backend nccl -q >"$out/first.txt" 2>&1
status=$?
why=$(sed -n 's/.*it cannot work here: //p' "$out/first.txt")
[ -z "$why" ] || skip "$why"
((status == 0)) || { echo "not ok 1 - one rank measures with NCCL (status $status)"; tail -20 "$out/first.txt" | sed 's/^/# /'; exit 1; }
gpus=$(nvidia-smi -L 2>/dev/null | grep -c '^GPU')
np=${NP:-$gpus}
((np > 1)) || skip "one GPU: ranks that share it give no times; make gpu-check tests the functions"

# table RESULT: its times; fails where one is missing or not right, or where there are none.
table() {
    "${PYTHON3:-$(command -v python3)}" - "$1" <<'END'
import json, sys
r = json.load(open(sys.argv[1]))
P = r["np"]
print(f"\n# {sys.argv[1]}: {r['backend']}, {P} ranks; {r['versions']}")
print(f"{'bytes':>12} {'plan':<20} {'us':>10} {'eager us':>10} {'algbw GB/s':>11} {'busbw GB/s':>11}  status")
bad = rows = 0
for m in r["results"]:
    n = m["message_bytes"]
    for name, s in [(b["name"], b["measured"]) for b in m["baselines"]] + [(c["plan"], c["measured"]) for c in m["candidates"]]:
        t = s.get("median_seconds")
        rows += 1
        bad += s["status"] != "ok"
        if not t:
            print(f"{n:12} {name:<20} {'-':>10} {'-':>10} {'-':>11} {'-':>11}  {s['status']}: {s.get('reason', '')}")
            continue
        print(f"{n:12} {name:<20} {t * 1e6:10.1f} {s.get('eager_median_seconds', float('nan')) * 1e6:10.1f} {n / t / 1e9:11.2f} {n / t * 2 * (P - 1) / P / 1e9:11.2f}  {s['status']}")
print(f"# {rows} times, {bad} of them not ok")
sys.exit(bad > 0 or rows == 0)
END
}

unset HIERSEARCH_SHARED_GPU # a timing on shared GPUs is refused
number=0 failed=0
for backend in "${backends[@]}"; do
    number=$((number + 1))
    left=$((end - SECONDS)) share=$(((end - SECONDS) / (${#backends[@]} - number + 1)))
    file=$out/$(hostname)-$np-$backend.json
    rm -f "$file"
    # shellcheck disable=SC2086 # SYSTEM may be nothing
    if ((left < 1)); then
        echo "# no time is left before the deadline"
        false
    else
        timeout -s ABRT -k 10 "$left" "${launch[@]}" "$np" "$measure" ${SYSTEM:-} --size "${SIZES:-1MiB:1GiB}" \
            --backend "$backend" --all --chunks 1,2,4,8 --budget "${BUDGET:-$((share * 5 / 6))s}" -o "$file" && table "$file"
    fi
    if (($? == 0)); then
        echo "ok $number - $backend on $np ranks: all is measured and right"
    else
        failed=$((failed + 1))
        echo "not ok $number - $backend on $np ranks: all is measured and right"
    fi
done
echo "1..$number"
((failed == 0 && number > 0))

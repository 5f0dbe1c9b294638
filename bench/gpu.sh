#!/bin/bash
# Times on GPUs: every split against ncclAllReduce (NCCL's choice, and ring alone), with and without CUDA graphs; then host
# and mpi, on GPU memory where they can (each says so).
#     bench/gpu.sh BUILD          (make gpu-bench)
# Environment: MPI, LAUNCH, NP, PYTHON3 as for tests/nccl/gpu_check.sh; SIZES (default 1MiB:1GiB), BUDGET (per backend, 600s),
# SYSTEM (adds predictions), BACKENDS, OUT (default results/gpu). Prints algbw and busbw as nccl-tests defines them (n / t, and
# that times 2 (P - 1) / P) by the device's clock where there is one. Exit 77 where something that it needs is missing.
set -u
build=${1:?usage: gpu.sh BUILD}
here=$(cd "$(dirname "$0")" && pwd -P)
out=${OUT:-$here/../results/gpu}
mpi=${MPI:-mpich}
measure=$build/hiersearch-measure
skip() { echo "SKIP $1"; exit 77; }

[ -x "$measure" ] || skip "no hiersearch-measure: it was built without MPI"
"$measure" --help 2>&1 | grep -q nccl-graph || skip "built without NCCL: make HAVE_NCCL=1 says what is missing"
launch=("$here/../tests/runner/launch.sh" "$mpi")
[ -z "${LAUNCH:-}" ] || read -ra launch <<<"$LAUNCH"
if [ -z "${LAUNCH:-}" ] && ! command -v "mpiexec.$mpi" >/dev/null && ! command -v "mpirun.$mpi" >/dev/null; then
    skip "no launcher of $mpi: set MPI= or LAUNCH=, or start this by tests/nccl/in_root.sh (docs/gpu.md)"
fi
why=$("${launch[@]}" 1 "$measure" --size 4KiB --budget 1s --backend nccl -q 2>&1 >/dev/null | sed -n 's/.*it cannot work here: //p')
[ -z "$why" ] || skip "$why"
gpus=$(nvidia-smi -L 2>/dev/null | grep -c '^GPU')
np=${NP:-$gpus}
((np > 1)) || skip "one GPU: ranks that share it give no times; make gpu-check tests the functions"

unset HIERSEARCH_SHARED_GPU # a timing on shared GPUs is refused
mkdir -p "$out"
for backend in ${BACKENDS:-nccl nccl-graph host mpi}; do
    file=$out/$(hostname -s)-$np-$backend.json
    # shellcheck disable=SC2086 # SYSTEM may be nothing
    "${launch[@]}" "$np" "$measure" ${SYSTEM:-} --size "${SIZES:-1MiB:1GiB}" --backend $backend --all \
        --chunks 1,2,4,8 --budget "${BUDGET:-600s}" -o "$file" || exit
    "${PYTHON3:-$(command -v python3)}" - "$file" <<'END'
import json, sys
r = json.load(open(sys.argv[1]))
P = r["np"]
print(f"\n# {sys.argv[1]}: {r['backend']}, {P} ranks; {r['versions']}")
print(f"{'bytes':>12} {'plan':<20} {'host us':>10} {'device us':>10} {'algbw GB/s':>11} {'busbw GB/s':>11}  status")
for m in r["results"]:
    n = m["message_bytes"]
    rows = [(b["name"], b["measured"]) for b in m["baselines"]] + [(c["plan"], c["measured"]) for c in m["candidates"]]
    for name, s in rows:
        host, device = s.get("median_seconds"), s.get("device_median_seconds")
        t = device or host
        if not t:
            print(f"{n:12} {name:<20} {'-':>10} {'-':>10} {'-':>11} {'-':>11}  {s['status']}: {s.get('reason', '')}")
            continue
        print(f"{n:12} {name:<20} {host * 1e6:10.1f} {(device or float('nan')) * 1e6:10.1f} "
              f"{n / t / 1e9:11.2f} {n / t * 2 * (P - 1) / P / 1e9:11.2f}  {s['status']}")
END
done

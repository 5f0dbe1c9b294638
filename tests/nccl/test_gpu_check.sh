#!/bin/bash
# gpu_check.sh and bench/gpu.sh where things go wrong, with made-up programs; and what gpu_package.sh makes. TAP on stdout.
#     tests/nccl/test_gpu_check.sh quick|full MPI BUILD
# full also runs the five calls of docs/gpu.md, as they stand there, from a package in which the stand-in takes the place of
# NCCL and CUDA, where there is neither a compiler nor an MPI but the package's.
set -u
(($# == 3)) || { echo "usage: test_gpu_check.sh quick|full MPI BUILD" >&2; exit 2; }
mode=$1 mpi=$2 build=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
unset NCCL_DEBUG NCCL_DEBUG_FILE HIERSEARCH_SHARED_GPU PACKAGE_ROOT OUT LAUNCH NP RANKS DEADLINE LIMIT BARE
export PYTHON3=${PYTHON3:-/usr/bin/python3}
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
tell() { say "$1" "$2" "$scratch/out"; }

# ---- with programs that are made up: each is what the environment says, started without a launcher ----
fake=$scratch/fake
mkdir -p "$fake/tests/nccl" "$scratch/bin"
printf '#!/bin/bash\neval "${JOB:-echo ok 1 - right}"\n' >"$fake/tests/nccl/nccl_job_gpu"
printf '#!/bin/bash\necho ok 1 - right\n' >"$fake/tests/nccl/device_job_gpu"
printf '#!/bin/bash\necho "{\\"figures\\": [1]}"\n' >"$fake/tests/nccl/gpu_probe_gpu"
cat >"$fake/hiersearch-measure" <<'END'
#!/bin/bash
[ "$1" = --help ] && { echo "backends: nccl, nccl-graph"; exit; }
eval "${MEASURE:-true}"
while (($#)); do [ "$1" = -o ] && file=$2; shift; done
[ -n "${file:-}" ] || exit 0
row="{\"plan\": \"2\", \"measured\": {\"status\": \"${STATUS:-ok}\", \"median_seconds\": 1}}"
cat >"$file" <<JSON
{"np": 2, "backend": "x", "versions": {}, "results": [{"message_bytes": 8, "baselines": [], "candidates": [${ROWS-$row}]}]}
JSON
END
printf '#!/bin/bash\nshift\nexec "$@"\n' >"$scratch/bin/start"
printf '#!/bin/bash\necho GPU 0\necho GPU 1\n' >"$scratch/bin/nvidia-smi"
cp "$scratch/bin/start" "$fake/hiersearch"
chmod +x "$fake"/* "$fake"/tests/nccl/* "$scratch"/bin/*
export PATH=$scratch/bin:$PATH

# ends STATUS SENTENCE SCRIPT [NAME=VALUE...] [-- ARGUMENT...]: the script's exit status.
ends() {
    local expected=$1 sentence=$2 script=$3 status
    shift 3
    env OUT="$scratch/output" LAUNCH=start "$@" >"$scratch/out" 2>&1
    status=$?
    ((status == expected))
    tell $? "$script: $sentence"
}
check=(tests/nccl/gpu_check.sh "$fake") bench=(bench/gpu.sh "$fake")
ends 0 "exit status 0 where all is right" gpu-check "${check[@]}"
grep -q '^1\.\.[1-9]' "$scratch/output/check.tap" && grep -q 'ok 1 - right' "$scratch/output/log.txt"
tell $? "gpu-check: checks and output are in one folder"
ends 1 "a job that says not ok and ends well is not right" gpu-check JOB='echo ok 1 - a; echo not ok 2 - b' "${check[@]}"
ends 1 "a job that ends badly is not right" gpu-check JOB='echo ok 1 - a; exit 3' "${check[@]}"
ends 1 "a job that checks nothing is not right" gpu-check JOB='echo "1..0 # SKIP no GPU"' "${check[@]}"
ends 1 "a first run that fails ends it" gpu-check MEASURE='exit 1' "${check[@]}"
[ "$(grep -c '^not ok' "$scratch/out")" = 1 ]
tell $? "gpu-check: and nothing else is run then"
ends 77 "without a GPU that is said" gpu-check MEASURE='echo "nccl: it cannot work here: no GPU"; exit 2' "${check[@]}"
ends 1 "a plan that is not ok is not right" gpu-check STATUS=timeout "${check[@]}"
ends 1 "nothing measured is not right" gpu-check ROWS= "${check[@]}"
ends 1 "a job that does not end in time is not right" gpu-check LIMIT=1 JOB='sleep 9' "${check[@]}" recovery
ends 1 "what comes after the deadline is not right" gpu-check DEADLINE=0 "${check[@]}"
printf '#!/bin/bash\necho "{\\"figures\\": []}"\n' >"$fake/tests/nccl/gpu_probe_gpu"
ends 1 "a probe without figures is not right" gpu-check "${check[@]}" smoke
ends 1 "an unknown part is not right" gpu-check "${check[@]}" nonsense
ends 0 "exit status 0 where all is right" gpu-bench "${bench[@]}"
ends 1 "a plan that is not ok is not right" gpu-bench STATUS=wrong "${bench[@]}"
ends 1 "nothing measured is not right" gpu-bench ROWS= "${bench[@]}"
ends 1 "a first run that fails ends it" gpu-bench MEASURE='exit 1' "${bench[@]}"
ends 1 "what comes after the deadline is not right" gpu-bench DEADLINE=0 "${bench[@]}"

# ---- the five calls, with the stand-in ----
# A PATH with what a bare machine has: no compiler, no MPI.
bare_path() {
    local name
    mkdir -p "$scratch/bare"
    for name in awk basename bash cat command cp dirname env find getent grep gzip head hostname id ls mkdir mktemp paste realpath \
         rm sed seq sleep sort tail tar tee timeout tr uniq; do
        ln -sf "$(command -v "$name")" "$scratch/bare/$name" 2>/dev/null
    done
    ln -sf "$PYTHON3" "$scratch/bare/python3"
    printf '#!/bin/bash\nexec /usr/bin/ldd "$@"\n' >"$scratch/bare/ldd"
    chmod +x "$scratch/bare/ldd"
}
# A build folder in which the stand-in is linked in place of the libraries.
standin_build() {
    mkdir -p "$scratch/build/tests/nccl" "$scratch/build/gen"
    cp "$build/hiersearch" "$build"/libhiersearch-{nccl,mpi}.so "$scratch/build/"
    cp "$build/gen/version.h" "$scratch/build/gen/"
    cp "$build/tests/nccl/measure" "$scratch/build/hiersearch-measure"
    cp "$build/tests/nccl/nccl_job" "$scratch/build/tests/nccl/nccl_job_gpu"
    cp "$build/tests/nccl/device_job" "$scratch/build/tests/nccl/device_job_gpu"
    cp "$build/tests/nccl/gpu_probe" "$scratch/build/tests/nccl/gpu_probe_gpu"
}
the_calls() {
    local name line status folder=$scratch/tree
    standin_build
    bare_path
    GPU_CONTENTS="the stand-in" tests/nccl/gpu_package.sh "$scratch/build" "$scratch/build/gpu-package" >"$scratch/out" 2>&1 &&
        grep -q 'libmpich.so.12' "$scratch/build/gpu-package/CONTENTS" && grep -q '^kernels: the stand-in' "$scratch/build/gpu-package/CONTENTS"
    tell $? "a package holds the programs, MPICH and what they load, and says so"
    mkdir -p "$folder/build"
    git ls-files -z | tar --null -T - -cf - | tar -C "$folder" -xf -
    cp "$scratch/build/gpu-package.tgz" "$folder/build/"
    for name in smoke function recovery cost applied; do
        line=$(sed -n "s/^    \(.*gpu_check.sh build\/gpu-package.tgz $name\)\$/\1/p" docs/gpu.md)
        mkdir -p "$scratch/$name" "$scratch/standin"
        ((${#line} > 0 && ${#line} <= 2000)) && (cd "$folder" && env -i PATH="$scratch/bare" HOME="$scratch" OUT="$scratch/$name" STANDIN_DIR="$scratch/standin" \
            STANDIN_GPUS=1 PROBE_BYTES=1048576 HIERSEARCH_NCCL= HANG=0.7 bash -c "$line") >"$scratch/out" 2>&1
        status=$?
        tell $status "the call $name of docs/gpu.md is right, without a compiler ($(grep -c '^ok ' "$scratch/out") checks)"
        (($(find "$scratch/$name" -type f | wc -l) <= 8)) && [ -s "$scratch/$name/check.tap" ] && [ -s "$scratch/$name/log.txt" ]
        tell $? "the call $name leaves no more than 8 files"
    done
    "$build/hiersearch" fit 8xH100 "$scratch/smoke/probe.json" -o "$scratch/gpu.json" >"$scratch/out" 2>&1 && grep -q '"at_once"' "$scratch/gpu.json"
    tell $? "fit takes the figures that the call smoke leaves"
}
if [ "$mode" = full ] && [ "$mpi" = mpich ]; then
    the_calls
fi
finish

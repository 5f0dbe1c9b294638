#!/bin/bash
# What a machine with GPUs and nothing else needs, in the folder TO and in TO.tgz: programs, MPICH and what they load.
#     tests/nccl/gpu_package.sh BUILD TO          (make gpu-package; then gpu_check.sh TO.tgz, docs/gpu.md)
# Environment: GPU_ROOT (a folder with unpacked Debian packages to take MPICH and the libraries from; default: what is
# installed), GPU_CONTENTS (a line about the kernels). Not taken: the C and C++ libraries, CUDA's driver, NCCL.
set -u
(($# == 2)) || { echo "usage: gpu_package.sh BUILD TO" >&2; exit 2; }
build=$1 to=$2 from=${GPU_ROOT:-}
programs=(hiersearch hiersearch-measure libhiersearch-nccl.so libhiersearch-mpi.so tests/nccl/nccl_job_gpu tests/nccl/device_job_gpu tests/nccl/gpu_probe_gpu)
[ -z "$from" ] || LD_LIBRARY_PATH=$(find "$from" -name 'lib*.so.*' -printf '%h\n' | sort -u | paste -sd:)
[ -z "$from" ] || export LD_LIBRARY_PATH
hydra=$from/usr/bin
[ -x "$hydra/mpiexec.mpich" ] || { echo "gpu_package.sh: no $hydra/mpiexec.mpich" >&2; exit 1; }
lib=$to/root/usr/lib/packaged
rm -rf "$to"
mkdir -p "$to/tests/nccl" "$lib" "$to/root/usr/bin" || exit 1
for program in "${programs[@]}"; do
    cp "$build/$program" "$to/$program" || exit 1
    strip "$to/$program" 2>/dev/null
done
cp -L "$hydra/mpiexec.mpich" "$hydra/hydra_pmi_proxy" "$to/root/usr/bin/" || exit 1
# What they load, and what UCX, which MPICH may use, loads by name; each with the name it is asked for by.
ucx=$(ldd "$build/hiersearch-measure" | awk '$1 ~ /^libuct\./ {print $3}')
if [ -n "$ucx" ] && [ -e "$(dirname "$ucx")/ucx/libuct_cma.so.0" ]; then
    mkdir -p "$lib/ucx"
    cp -L "$(dirname "$ucx")/ucx/libuct_cma.so.0" "$lib/ucx/"
fi
for file in "${programs[@]/#/$build/}" "$hydra/mpiexec.mpich" "$hydra/hydra_pmi_proxy"; do ldd "$file"; done |
    awk '$2 == "=>" && $3 ~ /^\// {print $1, $3}' | sort -u |
    grep -vE '^(ld-linux[^ ]*|lib(c|m|dl|rt|pthread|resolv|stdc\+\+|gcc_s))\.so' |
    while read -r name file; do cp -L "$file" "$lib/$name" || exit 1; done
[ -e "$lib/libmpich.so.12" ] || { echo "gpu_package.sh: the programs are not linked with MPICH" >&2; exit 1; }
{
    echo "programs: ${programs[*]}"
    echo "built from: $(sed -n 's/.*HS_GIT_DESCRIBE "\(.*\)"/\1/p' "$build/gen/version.h")"
    echo "kernels: ${GPU_CONTENTS:-not said}"
    echo "libraries: $(cd "$lib" && echo ./*.so* | sed 's|\./||g')"
    echo "not in it: a driver, NCCL (HIERSEARCH_NCCL names libnccl.so.2), a C library ($(getconf GNU_LIBC_VERSION) or newer)"
} >"$to/CONTENTS"
tar -C "$(dirname "$to")" -czf "$to.tgz" "$(basename "$to")" || exit 1
cat "$to/CONTENTS"
du -sh "$to" "$to.tgz"

#!/bin/bash
# What the GPU's kernels compute, on the host (kernels_on_host.cpp). TAP on stdout.
#     tests/nccl/test_kernels.sh BUILD           (from the source tree's top; CUDA_HOME as for make)
set -u
build=${1:?usage: test_kernels.sh BUILD}
cuda=${CUDA_HOME:-/usr/local/cuda}
[ -e "$cuda/include/cuda_runtime_api.h" ] || { echo "1..0 # SKIP no CUDA headers in $cuda"; exit 0; }
command -v "${CXX:-g++}" >/dev/null || { echo "1..0 # SKIP no C++ compiler"; exit 0; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
sed 's/<<<[^>]*>>>//' src/engine/cuda_kernels.cu src/runner/pattern_kernels.cu >"$scratch/kernels_on_host.inc"
"${CXX:-g++}" -std=c++17 -O1 -ffp-contract=off -Isrc -I"$scratch" -isystem "$cuda/include" -o "$scratch/kernels" \
    tests/nccl/kernels_on_host.cpp "$build/lib/libhs_runner.a" "$build/lib/libhs_engine.a" "$build/lib/libhs_model.a" "$build/lib/libhs_system.a" "$build/lib/libhs_base.a" -lm \
    >"$scratch/log" 2>&1 || { echo "not ok 1 - the kernels compile for the host"; sed 's/^/# /' "$scratch/log"; exit 1; }
"$scratch/kernels"

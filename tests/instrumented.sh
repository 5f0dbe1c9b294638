#!/bin/bash
# Unit tests, golden cases and corpus under AddressSanitizer and UBSan, and a part of them under valgrind; the library
# under ThreadSanitizer. Prints TAP. usage: tests/instrumented.sh sanitizers|hostile|threads|valgrind        (from the source tree's top; BUILD as for make)
set -u
mode=${1:?sanitizers, hostile, threads or valgrind}
build=${BUILD:-build}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# shellcheck source=tests/tap.sh
. tests/tap.sh

unset MAKEFLAGS MFLAGS
tests=${TESTS:-quick} # which; what takes long takes longer here:
export TESTS=quick
asan=$build/sanitized
# Half of the time that -O2 -g takes to compile; stacks have lines.
export CFLAGS="-O1 -g1"
# Seeds and runs so that this takes less than a minute once it is built.
hostile() {
    step "the library and hiersearch-measure build with -fsanitize=address,undefined" \
        make -s BUILD="$asan" SANITIZE=address,undefined HAVE_NCCL=0 instrumented-hostile
    for seed in 1 2; do
        step "the library is clean under ASan and UBSan with hostile files and odd callers, seed $seed" \
            "$asan/tests/api/hostile" "$seed" 1500 configs/*.json tests/golden/profile/*.json tests/fuzz/corpus/{result,log,topology,use}/*
    done
    if [ -x "$asan/hiersearch-measure" ]; then
        case ${MPICC:-} in *openmpi*) mpi=openmpi ;; *) mpi=mpich ;; esac
        step "hiersearch-measure is clean under ASan and UBSan with hostile files" \
            tests/runner/hostile_measure.py "$mpi" "$(realpath "$asan/hiersearch-measure")" "$asan/hiersearch" 1 40
    fi
}
case $mode in
sanitizers)
    export ASAN_OPTIONS=detect_leaks=1 UBSAN_OPTIONS=print_stacktrace=1
    step "the programs and tests build with -fsanitize=address,undefined" \
        make -s BUILD="$asan" SANITIZE=address,undefined HAVE_MPI=0 TESTS="$tests" instrumented-programs
    for test in "$asan"/tests/*/test_*; do
        [ -x "$test" ] && [[ $test != *.d ]] && step "${test#"$asan"/tests/} is clean under ASan and UBSan" "$test"
    done
    step "8 threads of the library are clean under ASan and UBSan" "$asan/tests/api/threads" tests/record/logs/nodes.txt 8 1
    for target in "$asan"/fuzz/*_replay; do
        name=$(basename "$target" _replay)
        step "corpus of $name is clean under ASan and UBSan" "$target" "tests/fuzz/corpus/$name"
    done
    # What is predicted, placed and drawn the unit tests have run; these are what users and files do wrong.
    BUILD=$asan step "golden cases of hostile and odd input are clean under ASan and UBSan" \
        tests/golden/run tests/golden/{attack,check,cli,fit,profile,run,systems}
    hostile # behind the others: it builds in the same folder
    ;;
hostile)
    export ASAN_OPTIONS=detect_leaks=1 UBSAN_OPTIONS=print_stacktrace=1
    hostile
    ;;
threads)
    step "the library builds with -fsanitize=thread" env CFLAGS="-O0 -g1" \
        make -s BUILD="$build/threads" SANITIZE=thread HAVE_MPI=0 HAVE_SIMGRID=0 instrumented-threads
    step "8 threads that use it are clean under ThreadSanitizer" \
        "$build/threads/tests/api/threads" tests/record/logs/nodes.txt 8 1
    ;;
valgrind)
    check=(valgrind -q --error-exitcode=99 --leak-check=full "--errors-for-leak-kinds=definite,possible")
    for test in base/test_json base/test_units model/test_split estimate/test_system_file record/test_result_read; do
        step "$test is clean under valgrind" "${check[@]}" "$build/tests/$test"
    done
    step "predict is clean under valgrind" "${check[@]}" "$build/hiersearch" predict abci --np 360 --chunks 1,2,4
    step "explain is clean under valgrind" "${check[@]}" "$build/hiersearch" predict abci --np 48 --explain best
    step "containment is clean under valgrind" "${check[@]}" "$build/hiersearch" predict abci --np 96 --search containment --json
    ;;
esac
finish

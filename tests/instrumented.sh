#!/bin/bash
# Unit tests, golden cases and corpus under AddressSanitizer and UBSan, and a part of them under valgrind; the library
# under ThreadSanitizer. Prints TAP. usage: tests/instrumented.sh sanitizers|threads|valgrind        (from the source tree's top; BUILD as for make)
set -u
mode=${1:?sanitizers, threads or valgrind}
build=${BUILD:-build}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# shellcheck source=tests/tap.sh
. tests/tap.sh

unset MAKEFLAGS MFLAGS
export TESTS=quick # what takes long takes longer here
case $mode in
sanitizers)
    export ASAN_OPTIONS=detect_leaks=1 UBSAN_OPTIONS=print_stacktrace=1
    asan=$build/sanitized
    step "the programs and tests build with -fsanitize=address,undefined" \
        make -s BUILD="$asan" SANITIZE=address,undefined HAVE_MPI=0 instrumented-programs
    for test in "$asan"/tests/*/test_*; do
        [ -x "$test" ] && [[ $test != *.d ]] && step "${test#"$asan"/tests/} is clean under ASan and UBSan" "$test"
    done
    step "8 threads of the library are clean under ASan and UBSan" "$asan/tests/api/threads" tests/result/logs/nodes.txt 8 1
    for target in "$asan"/fuzz/*_replay; do
        name=$(basename "$target" _replay)
        step "corpus of $name is clean under ASan and UBSan" "$target" "tests/fuzz/corpus/$name"
    done
    BUILD=$asan step "golden cases are clean under ASan and UBSan" tests/golden/run
    ;;
threads)
    step "the library builds with -fsanitize=thread" \
        make -s BUILD="$build/threads" SANITIZE=thread HAVE_MPI=0 HAVE_SIMGRID=0 instrumented-threads
    step "8 threads that use it are clean under ThreadSanitizer" \
        "$build/threads/tests/api/threads" tests/result/logs/nodes.txt 8 1
    ;;
valgrind)
    check=(valgrind -q --error-exitcode=99 --leak-check=full "--errors-for-leak-kinds=definite,possible")
    for test in base/test_json base/test_units model/test_split model/test_system result/test_result_read; do
        step "$test is clean under valgrind" "${check[@]}" "$build/tests/$test"
    done
    step "predict is clean under valgrind" "${check[@]}" "$build/hiersearch" predict abci --np 360 --chunks 1,2,4
    step "explain is clean under valgrind" "${check[@]}" "$build/hiersearch" predict abci --np 48 --explain best
    step "containment is clean under valgrind" "${check[@]}" "$build/hiersearch" predict abci --np 96 --search containment --json
    ;;
esac
finish

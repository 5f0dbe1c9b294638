#!/bin/bash
# The library as a stranger uses it: the examples that are installed are compiled against the installed tree alone, and run.
# Prints TAP. usage: tests/install/test_examples.sh BUILD        TREE=FOLDER: that is there already
set -u
build=$(realpath "${1:?the build folder}")
cd "$(dirname "$0")/../.." || exit 1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# shellcheck source=tests/tap.sh
. tests/tap.sh
unset MAKEFLAGS MFLAGS
tree=${TREE:-$scratch/a tree}
[ -n "${TREE:-}" ] || step 'make install' make -s BUILD="$build" PREFIX="$tree" install
libraries=$(dirname "$(find "$tree" -name 'libhiersearch.so.1')")
examples=$tree/share/doc/hiersearch/examples
# in_tree COMMAND...: with nothing of ours in the environment.
in_tree() {
    (cd "$scratch" && env -i PATH="$tree/bin:/usr/bin:/bin" PKG_CONFIG_PATH="$libraries/pkgconfig" LD_LIBRARY_PATH="$libraries" "$@")
}
prints() { diff <(printf '%s\n' "$1") <(in_tree "${@:2}"); }

empty 'headers of the inside are not installed' "$(find "$tree/include" -type f ! -name hiersearch.h)"
awk '/^```/ { on = /^```c$/; next } on' docs/library.md >"$scratch/library.c"
# shellcheck disable=SC2016
step 'the program of docs/library.md is one' in_tree sh -c 'eval "cc -std=c11 -Wall -Wextra -Werror -o library library.c $(pkg-config --cflags --libs hiersearch)"'
step 'it prints a result' in_tree sh -c './library | grep -q hiersearch.result/'
for how in --static ''; do
    for example in best_plan stages; do
        # shellcheck disable=SC2016 # expanded by the shell inside
        step "$example compiles and links with what pkg-config $how says" in_tree sh -c '
            flags=$(pkg-config $1 --cflags --libs hiersearch) && cp "$2" . &&
            eval "cc -std=c11 -Wall -Wextra -Werror -o $3 $3.c ${1:+-Wl,-Bstatic -lhiersearch -Wl,-Bdynamic} $flags"' \
            sh "$how" "$examples/$example.c" "$example"
    done
    # A ring of 4 over 1 GB/s: 2 (p - 1) / p n / bandwidth is 1.5 s; expected over the samples it is a little more.
    step 'the best plan is that of the equation, over the samples' prints '4 takes 1551152.9 us' ./best_plan one:4@1GB/s~0us 4 1GB
    # Linked statically it has no place of its own.
    step 'shipped systems are found' in_tree ${how:+HIERSEARCH_CONFIGS="$tree/share/hiersearch/configs"} ./best_plan abci 128 64MiB
done
in_tree ./best_plan one:4@1GB/s~0us 4 1XB 2>"$scratch/said" && not_ok 'a wrong size is refused' </dev/null
step 'it is the line of the program' grep -q '^best_plan: --size: ' "$scratch/said"
# Few calls, as each is dear.
in_tree hiersearch predict 'a:4@100GB/s~1us,b:4@1GB/s~1us;launch=1ms' --np 16 --size 16MB --samples 0 -q -o result.json >/dev/null
in_tree ./stages result.json 9 >"$scratch/told"
step 'a process is told its calls, and with whom' \
    diff <(printf '%s\n' 'reduce-scatter 8 9 10 11' 'allreduce 1 5 9 13' 'allgather 8 9 10 11') \
    <(sed 's/ by.*processes//' "$scratch/told")
step 'pkg-config knows the version' prints "$(cat VERSION)" pkg-config --modversion hiersearch
finish

#!/bin/bash
# `make install` into a scratch folder, which is then moved and used with the source tree and the build folder out of
# sight; then `make uninstall`. Prints TAP. usage: tests/install/test_install.sh BUILD [mpich|openmpi]
set -u
build=$(realpath "${1:?the build folder}")
mpi=${2:-mpich}
cd "$(dirname "$0")/../.." || exit 1
src=$PWD
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# shellcheck source=tests/tap.sh
. tests/tap.sh
unset MAKEFLAGS MFLAGS

make_tree() { make -s BUILD="$build" DESTDIR="$scratch/dest" PREFIX=/opt/hs "$@"; }

step 'make install' make_tree install
if [ "$failed" = 1 ]; then
    finish
    exit 1
fi
(cd "$scratch/dest" && find . | sort) >"$scratch/first"
step 'make install again' make_tree install
step 'installing twice changes nothing' diff "$scratch/first" <(cd "$scratch/dest" && find . | sort)
empty 'all can be read, and programs be run, by everybody' "$(cd "$scratch/dest/opt/hs" &&
    { find . -type f ! -perm -444; find . -type d ! -perm -555; find bin libexec -type f ! -perm -555; } 2>/dev/null)"

# Moved, with a blank in the name.
tree="$scratch/some where"
cp -a "$scratch/dest/opt/hs" "$tree"
empty 'no installed file names the source tree or the build folder' \
    "$(cd "$tree" && grep -rlaF -e "$src" -e "$build" .)"

# in_tree COMMAND...: without our environment, and, where the kernel allows, without the source tree and the build.
private=''
for how in 'unshare -m' 'unshare -rm'; do
    [ -n "$private" ] || ! $how mount -t tmpfs none /mnt 2>/dev/null || private=$how
done
in_tree() {
    # shellcheck disable=SC2016,SC2086 # expanded by the shell inside
    $private env -i PATH="$tree/bin:/usr/bin:/bin" HOME="$scratch" LC_ALL=C.UTF-8 MANWIDTH=80 sh -c '
        if [ -n "$1" ]; then mount -t tmpfs none "$2" && mount -t tmpfs none "$3" || exit 99; fi
        mkdir -p "$4" && cd "$4" && shift 4 && "$@"' sh "$private" "$build" "$src" "$scratch/cwd" "$@"
}
# Where the build lies in the source tree, it must be covered first; where the source lies there, it is gone then.
case $build/ in "$src"/*) ;; *) [ -z "$private" ] || ok 'the build folder is out of sight, too' ;; esac
[ -z "$private" ] || empty 'the source tree is out of sight' "$(in_tree ls "$src")"

hs() { in_tree hiersearch "$@"; }
step 'the version is that of VERSION' grep -q "^hiersearch $(cat VERSION)" <(hs --version)
step 'the shipped systems are found' diff <(hs systems --names) \
    <(cd configs && printf '%s\n' *.json | sed 's/\.json$//' | LC_ALL=C sort)
step 'predict works' hs predict abci --np 128 --size 128MiB -o prediction.json
step 'export works' hs export prediction.json --to pytorch -o model.py
if command -v gnuplot >/dev/null; then
    step 'plot works' hs plot prediction.json --kind layers -o layers.svg
    step 'the picture is one' grep -q '<svg' "$scratch/cwd/layers.svg"
    step 'report works' hs report prediction.json -o report.html
    step 'the report has pictures' grep -q '<svg' "$scratch/cwd/report.html"
else
    skip 'plot works' 'there is no gnuplot'
fi
step 'help knows the options of the measuring program' grep -q -- --budget <(hs help measure)
# The one that is installed: tests/bin has one of the source tree's.
launcher=$(type -aP "mpiexec.$mpi" "mpirun.$mpi" | grep -v /tests/bin/ | head -n 1)
if [ -x "$tree/libexec/hiersearch/hiersearch-measure" ] && [ -n "$launcher" ]; then
    [ "$mpi" = mpich ] || launcher="$launcher --oversubscribe --allow-run-as-root"
    # shellcheck disable=SC2086
    step 'measure runs under the launcher' in_tree $launcher -n 4 "$tree/bin/hiersearch" measure \
        'node:2@5GB/s~1us,net:2@1GB/s~5us' --size 64KiB --plans 2x2 --budget 3s --backend host -o measured.json
    step 'what it measured is a result with a best plan' grep -Eq '"best": "(2x2|4)"' "$scratch/cwd/measured.json"
else
    skip 'measure runs under the launcher' 'it was built without this MPI'
fi
if [ -x "$tree/libexec/hiersearch/hiersearch-simulate" ] && command -v smpirun >/dev/null; then
    step 'simulate works' hs simulate abci --np 8 --size 64KiB 2x4
else
    skip 'simulate works' 'there is no SimGrid'
fi
if command -v man >/dev/null && command -v lowdown >/dev/null; then
    step 'man finds the pages' in_tree man -M "$tree/share/man" -P cat 5 hiersearch-system
else
    skip 'man finds the pages' 'there is no man or no lowdown'
fi
step 'the schemas came along' /usr/bin/env python3 -c 'import json,sys; [json.load(open(f)) for f in sys.argv[1:]]' \
    "$tree/share/hiersearch/schemas/result.schema.json" "$tree/share/hiersearch/schemas/system.schema.json"

# The library, as a stranger uses it.
step 'programs are compiled against the tree, and run' env TREE="$tree" tests/install/test_examples.sh "$build"

# Going away.
echo mine >"$scratch/dest/opt/hs/share/doc/hiersearch/mine.txt"
step 'make uninstall' make_tree uninstall
empty 'what somebody else put there stays, and nothing else' "$(cd "$scratch/dest" && find . -type f |
    grep -vx ./opt/hs/share/doc/hiersearch/mine.txt)"
rm -rf "$scratch/dest"
mkdir -p "$scratch/dest/opt"
make_tree install >/dev/null
echo stale >"$scratch/dest/opt/hs/bin/old-program"
echo 'f bin/old-program' >>"$scratch/dest/opt/hs/share/hiersearch/installed"
make_tree install >/dev/null
empty 'installing takes away what a former version had and this one has not' \
    "$(find "$scratch/dest/opt/hs/bin" -type f ! -name hiersearch)"
make_tree uninstall >/dev/null
empty 'uninstalling leaves nothing, but folders that were there before' "$(find "$scratch/dest/opt" -mindepth 1)"
step 'such a folder stays' test -d "$scratch/dest/opt"
if make_tree uninstall >"$scratch/said" 2>&1; then
    not_ok 'uninstalling what is not there fails' <"$scratch/said"
else
    step 'uninstalling what is not there fails and says so' grep -q 'is not installed here' "$scratch/said"
fi
finish

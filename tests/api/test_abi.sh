#!/bin/bash
# The library against that of the newest tag that has one, by libabigail's abidiff: what a program was linked with goes on to
# work. Prints TAP. usage: tests/api/test_abi.sh BUILD
set -u
build=$(realpath "${1:?the build folder}")
cd "$(dirname "$0")/../.." || exit 1
skip() {
    echo "1..0 # SKIP $1"
    exit 0
}
command -v abidiff >/dev/null || skip 'there is no abidiff (abigail-tools)'
git rev-parse --git-dir >/dev/null 2>&1 || skip 'this is no clone: there are no tags'
tag=''
for one in $(git tag --merged HEAD --sort=-creatordate); do
    if git cat-file -e "$one:include/hiersearch.h" 2>/dev/null; then
        tag=$one
        break
    fi
done
[ -n "$tag" ] || skip 'no tag has the library yet'
scratch=$(mktemp -d)
trap 'git worktree remove --force "$scratch/tree" 2>/dev/null; rm -rf "$scratch"' EXIT
unset MAKEFLAGS MFLAGS
# shellcheck source=tests/tap.sh
. tests/tap.sh
# shellcheck disable=SC2016 # the shell that it is for expands it
step "the library of $tag is made" sh -c 'git worktree add --detach "$0/tree" "$1" && cd "$0/tree" &&
    make -s BUILD="$0/build" HAVE_MPI=0 HAVE_SIMGRID=0 "$0/build/libhiersearch.so.1"' "$scratch" "$tag"
# Functions may come; 8 and 4 of the exit status: a change that is incompatible, and any.
step "nothing of $tag is gone or changed" abidiff --no-added-syms --headers-dir1 "$scratch/tree/include" \
    --headers-dir2 include "$scratch/build/libhiersearch.so.1" "$build/libhiersearch.so.1"
finish

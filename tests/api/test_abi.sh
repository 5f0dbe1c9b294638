#!/bin/bash
# What a program was linked with goes on to work: the library against tests/api/abi.txt, the declarations of the header with the
# version that each symbol came with, and against that list of the newest tag that has one. By libabigail's abidiff; the older
# library is made of the list, with functions that do nothing. Prints TAP. usage: tests/api/test_abi.sh BUILD
# UPDATE=1 puts into the list what is new, where nothing of it is gone or changed.
set -u
build=$(realpath "${1:?the build folder}")
cd "$(dirname "$0")/../.." || exit 1
list=tests/api/abi.txt
library=$build/libhiersearch.so.1
command -v abidiff >/dev/null || {
    echo '1..0 # SKIP there is no abidiff (abigail-tools)'
    exit 0
}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# shellcheck source=tests/tap.sh
. tests/tap.sh

# A declaration a line; behind a function the version of its symbol.
declarations() {
    nm -D --defined-only "$library" | sed -n 's/.* T \(.*\)@@\(.*\)/\1 \2/p' >"$scratch/versions"
    sed '/__cplusplus/,/^#endif/d; /^#/d' include/hiersearch.h | cc -E -P -x c - | tr -s '\n ' ' ' | sed 's/; */;\n/g' |
        awk 'NR == FNR { version[$1] = $2; next }
             match($0, /hiersearch_[a-z0-9_]+\(/) { $0 = $0 " /* " version[substr($0, RSTART, RLENGTH - 1)] " */" }
             { print }' "$scratch/versions" -
}
# older LIST NAME: $scratch/NAME/libhiersearch.so.1, and its header beside it.
older() {
    local folder=$scratch/$2 behind=''
    mkdir "$folder"
    { printf '#include <stddef.h>\n#include <stdint.h>\n'; cat "$1"; } >"$folder/hiersearch.h"
    { echo '#include "hiersearch.h"'; sed -n 's/ *; *\/\* HIERSEARCH_.*/ { __builtin_trap(); }/p' "$1"; } >"$folder/library.c"
    while read -r version; do
        echo "$version { global:"
        sed -n "s/.*\(hiersearch_[a-z0-9_]*\)(.*\/\* $version \*\//\1;/p" "$1"
        if [ -n "$behind" ]; then echo "} $behind;"; else echo 'local: *; };'; fi
        behind=$version
    done < <(grep -o 'HIERSEARCH_[0-9][0-9]*' "$1" | sort -Vu) >"$folder/map"
    cc -g -shared -fPIC -Wl,-soname,libhiersearch.so.1 -Wl,--version-script="$folder/map" -o "$folder/libhiersearch.so.1" "$folder/library.c"
}
# Functions may come; 8 and 4 of the exit status: a change that is incompatible, and any.
compare() {
    abidiff --no-added-syms --headers-dir1 "$scratch/$1" --headers-dir2 include "$scratch/$1/libhiersearch.so.1" "$library"
}
keeps() { older "$1" "$2" && compare "$2"; }

step 'nothing that the library had is gone or changed' keeps "$list" list
declarations >"$scratch/now"
step 'the library is what its header declares' keeps "$scratch/now" header
if [ -n "${UPDATE:-}" ] && [ "$failed" = 0 ]; then cp "$scratch/now" "$list"; fi
empty "$list has all that the library has (else: UPDATE=1 $0 BUILD)" "$(diff "$list" "$scratch/now")"
for tag in $(git tag --list 'v*' --merged HEAD --sort=-creatordate 2>/dev/null); do
    git show "$tag:$list" >"$scratch/$tag.txt" 2>/dev/null || continue
    step "nor anything that $tag had" keeps "$scratch/$tag.txt" "$tag"
    break
done

# That each kind of break is seen: SENTENCE and what a list is changed by, as if the library had once had that.
breaks() {
    local name=${1// /-}
    sed "$2" "$list" >"$scratch/$name.txt"
    older "$scratch/$name.txt" "$name" >"$scratch/log" 2>&1
    # shellcheck disable=SC2016 # for eval
    check "$1 is seen" '[ -e "$scratch/$name/libhiersearch.so.1" ] && ! cmp -s "$list" "$scratch/$name.txt" && ! compare "$name"' "$scratch/log"
}
# shellcheck disable=SC2016 # sed's $
breaks 'a function that is gone' '$a int hiersearch_gone(void); /* HIERSEARCH_1 */'
breaks 'a symbol of another version' '/hiersearch_simulation/s/HIERSEARCH_1/HIERSEARCH_2/'
breaks 'an argument of another type' 's/size_t message/int message/'
breaks 'a status of another number' 's/HIERSEARCH_IO = 2/HIERSEARCH_IO = 5/'
breaks 'a member of another type' 's/^double bytes/float bytes/'
finish

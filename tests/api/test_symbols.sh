#!/bin/bash
# The library shows what its header declares, and nothing else; the header is C99, C11 and C++. Prints TAP.
# usage: tests/api/test_symbols.sh BUILD
set -u
build=$(realpath "${1:?the build folder}")
cd "$(dirname "$0")/../.." || exit 1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# shellcheck source=tests/tap.sh
. tests/tap.sh
header=include/hiersearch.h
library=$build/libhiersearch.so.1

# What a preprocessor leaves, without comments: a declaration of a function has its name before a parenthesis.
declared=$(cc -E -P "$header" | grep -o '\bhiersearch_[a-z0-9_]* *(' | tr -d ' (' | sort -u)
step 'the header declares functions' [ "$(wc -l <<<"$declared")" -gt 40 ]
shown=$(nm -D --defined-only "$library" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort -u)
empty 'symbols of libhiersearch.so.1 are the functions of the header' "$(diff <(echo "$declared") <(echo "$shown"))"
empty 'each has a version of ours' "$(nm -D --defined-only "$library" | awk '$2 != "A"' | grep -v '@@HIERSEARCH_[12]$')"
step 'its name is libhiersearch.so.1' grep -q 'SONAME.*\[libhiersearch.so.1\]' <(readelf -d "$library")
empty 'nothing is left open' "$(ldd -r "$library" 2>&1 | grep -i undefined)"
make -s BUILD="$build" "$build/lib/libhiersearch.a" >"$scratch/log" 2>&1 || not_ok 'the archive is made' <"$scratch/log"
empty 'symbols of libhiersearch.a are the same' \
    "$(diff <(echo "$declared") <(nm -g --defined-only "$build/lib/libhiersearch.a" | awk 'NF == 3 { print $3 }' | sort -u))"
empty 'no type of cJSON, GSL or GLPK is in the header' "$(grep -inE 'cjson|gsl_|glp_' "$header")"
for language in 'c99 -x c' 'c11 -x c' 'c++11 -x c++' 'c++20 -x c++'; do
    case $language in *++*) command -v g++ >/dev/null || continue ;; esac
    # shellcheck disable=SC2086 # two words
    step "the header is ${language%% *}" \
        cc -std=$language -pedantic -Wall -Wextra -Werror -fsyntax-only "$header"
done
# For cffi, which takes declarations without a preprocessor: what begins with # goes, and what C++ alone is told.
sed '/__cplusplus/,/^#endif/d; /^#/d' "$header" >"$scratch/declarations.h"
step 'without its lines of # it declares the same' cc -std=c11 -Wall -Werror -fsyntax-only -include stddef.h -include stdint.h \
    -x c "$scratch/declarations.h"
finish

#!/bin/bash
# Manual pages: there is one per command, it says what --help says, and formatters have nothing to complain about.
# Prints TAP. usage: tests/install/test_manual.sh BUILD
set -u
build=$(realpath "${1:?the build folder}")
cd "$(dirname "$0")/../.." || exit 1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# shellcheck source=tests/tap.sh
. tests/tap.sh
export PATH="$build:$PATH" LC_ALL=C COLUMNS=200

if ! command -v lowdown >/dev/null; then
    echo '1..0 # SKIP there is no lowdown'
    exit 0
fi

# The words of a page as they would be read; without a formatter as they stand in the source, without its escapes.
plain() { sed 's/\\-/-/g; s/\\%//g; s/\\f[BIR]//g; s/\\://g; s/\\(aq/'"'"'/g' "$1"; }

if ! unset MAKEFLAGS MFLAGS || ! make -s BUILD="$build" man >"$scratch/log" 2>&1; then
    not_ok 'the pages are made' <"$scratch/log"
    exit 1
fi
ok 'the pages are made'

for command in $(hiersearch help --names); do
    page=$build/man/hiersearch-$command.1
    missing=$(hiersearch help "$command" 2>&1 | grep -o -- '^  *\(-[a-z], \)\?--[a-z-]*' | grep -o -- '--[a-z-]*' |
        while read -r option; do plain "$page" | grep -qe "^\(-[a-z], \)\?$option\b" || echo "$option"; done)
    empty "hiersearch-$command(1) has every option of --help" "$missing"
    is "hiersearch(1) names hiersearch-$command(1)" 1 \
        "$(plain "$build/man/hiersearch.1" | grep -c "^hiersearch-$command(1)")"
done
missing=$(for page in "$build"/man/hiersearch-*.1; do
    name=$(basename "$page" .1)
    hiersearch help --names | grep -qx "${name#hiersearch-}" || echo "$page"
done)
empty 'there is no page of a command that there is not' "$missing"

# Every field that the schemas know, found here without our own reader.
for kind in system result; do
    missing=$(python3 - "docs/$kind.schema.json" <<'END' | while read -r field; do
import json, sys
def walk(node):
    if isinstance(node, dict):
        for name in node.get("properties", {}) if isinstance(node.get("properties"), dict) else ():
            print(name)
        for value in node.values():
            walk(value)
    elif isinstance(node, list):
        for value in node:
            walk(value)
walk(json.load(open(sys.argv[1])))
END
        plain "$build/man/hiersearch-$kind.5" | grep -q "\b$field\b" || echo "$field"
    done)
    empty "hiersearch-$kind(5) has every field of its schema" "$missing"
done
for function in $(sed -n 's/^ *\(hiersearch_[a-z_]*\);/\1/p' src/api/libhiersearch.map); do
    [ "$(readlink "$build/man/$function.3")" = hiersearch.3 ] && plain "$build/man/hiersearch.3" | grep -q "\b$function(" || echo "$function"
done >"$scratch/missing"
empty 'each function of the library has a page, and stands in hiersearch(3)' "$(cat "$scratch/missing")"
for heading in 'WHICH LATENCY' 'DESCRIBE A MACHINE OF YOUR OWN' FIELDS; do
    is "hiersearch-system(5) has the section $heading" 1 "$(grep -cx ".SH $heading" "$build/man/hiersearch-system.5")"
done

if command -v mandoc >/dev/null; then
    empty 'mandoc finds nothing wrong' "$(mandoc -T lint -W warning "$build"/man/hiersearch[-.]*[135] 2>&1)"
else
    skip 'mandoc finds nothing wrong' 'there is no mandoc'
fi
if command -v man >/dev/null && command -v groff >/dev/null; then
    for page in "$build"/man/hiersearch[-.]*[135]; do
        LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -E UTF-8 -l "$page" >/dev/null
    done 2>"$scratch/complaints"
    empty 'man finds nothing wrong' "$(cat "$scratch/complaints")"
    text=$(MANWIDTH=80 man -E ascii -l "$build/man/hiersearch-predict.1" | col -b)
    is 'man shows an option as one types it' 1 "$(grep -c -- ' -n, --np P\[:P\]' <<<"$text")"
else
    skip 'man finds nothing wrong' 'there is no man'
fi

date=$(sed -n 's/#define HS_DATE "\(.*\)"/\1/p' "$build/gen/version.h")
dated=$(grep -h '^\.TH' "$build"/man/hiersearch[-.]*[135] | grep -cv " \"$date\" ")
is "no page has another date than that of the version, $date" 0 "$dated"
wanted=$(SOURCE_DATE_EPOCH=86400 make -s BUILD="$scratch/build" HAVE_MPI=0 "$scratch/build/gen/version.h" &&
    grep -c '"1970-01-02"' "$scratch/build/gen/version.h")
is 'SOURCE_DATE_EPOCH sets the date' 1 "$wanted"
finish

#!/bin/sh
# Checks that every folder of src/ includes only the folders it may use. Arguments: "folder:allowed allowed ...", of which
# "folder/file" names one file of it (NAME, for NAME.c and NAME.h) that may use more. Prints TAP.
n=0
failed=0
for rule in "$@"; do
    layer=${rule%%:*}
    allowed=" ${rule#*:} "
    n=$((n + 1))
    case "$layer" in
    */*) files="src/$layer.[ch]" ;;
    *) files="src/$layer/*.[ch]" ;;
    esac
    # The files that have a rule of their own are that rule's.
    own=" $(printf '%s\n' "$@" | sed -n "s,^\($layer/[^:]*\):.*,src/\1.,p" | tr '\n' ' ') "
    # shellcheck disable=SC2086 # a pattern
    bad=$(grep -Ho '^#include "[a-z]*/' $files 2>/dev/null | sed 's/:#include "/ /; s,/$,,' |
        while read -r file folder; do
            case "$own" in *" ${file%[ch]} "*) continue ;; esac
            case "$allowed" in *" $folder "*) ;; *) echo "# $file includes $folder/" ;; esac
        done | sort -u)
    if [ -n "$bad" ]; then
        echo "not ok $n - src/$layer includes only:$allowed"
        echo "$bad"
        failed=1
    else
        echo "ok $n - src/$layer includes only:$allowed"
    fi
done
echo "1..$n"
exit $failed

#!/bin/sh
# Checks that every folder of src/ includes only the folders it may use. Arguments: "folder:allowed allowed ...".
# Prints TAP.
n=0
failed=0
for rule in "$@"; do
    layer=${rule%%:*}
    allowed=" ${rule#*:} "
    n=$((n + 1))
    bad=$(grep -Ho '^#include "[a-z]*/' src/"$layer"/*.[ch] 2>/dev/null | sed 's/:#include "/ /; s,/$,,' |
        while read -r file folder; do
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

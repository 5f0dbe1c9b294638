#!/bin/bash
# The plain model against SimGrid on two machines of bench/systems, with the bounds that are stated (docs/model.md, section
# 6): bench/accuracy_simgrid.py on a few process counts, most of which do not nest in nodes. TAP on stdout.
set -u
here=$(cd "$(dirname "$0")" && pwd -P)
top=${here%/tests/simulate}
programs=$(realpath -m "${BUILD:-$top/build}")
python=${PYTHON3:-/usr/bin/python3}
for tool in smpicc smpirun "$python"; do
    command -v "$tool" >/dev/null || { echo "1..0 # SKIP no $tool"; exit 0; }
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export TMPDIR=$scratch

# shellcheck source=tests/tap.sh
. "$top/tests/tap.sh"
check() { say "$2" "$1" "$scratch/table" "$scratch/err"; } # check SENTENCE STATUS

accuracy() { "$python" "$top/bench/accuracy_simgrid.py" --cache "$scratch" "$@" >"$scratch/table" 2>"$scratch/err"; }

counts=6,12,18 splits=38
[ "${TESTS:-}" != quick ] || counts=6,12 splits=22
accuracy --machines sockets,uneven --np $counts --size 64MiB --no-algorithms "$programs/hiersearch"
check "errors and regret are within the bounds, with chunks, too" $?
[ "$(grep -Ec "^all +$splits " "$scratch/table")" = 1 ]
check "every split of $counts on two machines was compared" $?
[ "$(grep -Ec "^all +$((3 * splits)) " "$scratch/table")" = 1 ]
check "each of them in 2, 4 and 8 chunks, too" $?
accuracy --machines mesh --np 6,8 --size 64MiB --only-algorithms "$programs/hiersearch"
check "errors and regret of halving, direct exchange and trees are within the bounds" $?

# Predictions for half as much again: the same times are simulated, and the bench has to notice.
mkdir "$scratch/wrong"
ln -s "$programs/hiersearch-simulate" "$scratch/wrong/"
cat >"$scratch/wrong/hiersearch" <<END
#!/bin/bash
[ "\$1" != predict ] || set -- "\${@/64MiB/96MiB}"
exec "$programs/hiersearch" "\$@"
END
chmod +x "$scratch/wrong/hiersearch"
accuracy --machines sockets --np 6,12 --no-chunks --size 64MiB --no-algorithms "$scratch/wrong/hiersearch"
[ "$?" = 1 ] && grep -q '^missed: splits: mean error' "$scratch/table"
check "predictions that are off are reported as missed" $?

finish

# Each is one line that says what is wrong and what to do instead; nothing is half-written.
try() { echo "\$ hiersearch export $*"; hiersearch export "$@" 2>&1; echo "exit $?"; }
hiersearch predict abci --np 64 --json -q >result.json
hiersearch predict abci --np 64 --size 1MiB:64MiB --json -q >sizes.json
try
try result.json
try --to msccl
try --list result.json
try result.json --to mscll
try missing.json --to msccl
try result.json --to msccl --plan 4x8
try result.json --to msccl --plan 4xx16
try result.json --to msccl --size 1MiB
try result.json --to msccl --size much
try sizes.json --to msccl --size 1GiB
hiersearch export sizes.json --to nccl-env --size 25MB 2>&1 >/dev/null | sed -n 1p
try result.json --to simgrid
try result.json --to simgrid -o -
try result.json --to simgrid -o result.json
try result.json --to simgrid -o no/such/folder
try result.json --to msccl -o no/such/folder/file
try result.json extra --to msccl
sed 's|hiersearch.result/2|hiersearch.result/0|' result.json >older.json
try older.json --to msccl
echo '{}' >empty.json
try empty.json --to msccl
cp "$SRC/tests/record/good/minimal.json" .
try minimal.json --to colors
ls

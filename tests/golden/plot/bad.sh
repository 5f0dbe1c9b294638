try() { echo "\$ $*"; hiersearch "$@" 2>&1; echo "exit $?"; }
hiersearch predict abci --np 8 -q -o abci.json >abci.txt
hiersearch predict summit --np 12 -q -o summit.json >summit.txt
: >empty.json
echo '{"format": "hiersearch.system/1"}' >system.json
# What is asked for.
try plot abci.json --kind layer -o x.svg
try plot abci.json --kind frobnicate -o x.svg
try plot abci.json -o x.svg
try plot --kind layers -o x.svg
try plot abci.json --kind layers
try plot abci.json --kind layers -o x.gif
try plot abci.json --kind layers -o x.svg --type gif
try plot abci.json --kind layers --csv --type svg
try plot abci.json --kind layers --csv --size 3MiB
try plot abci.json --kind layers --csv --size many
try plot abci.json --kind layers --csv --plan 2x3
try plot abci.json --kind bandwidth --csv --size 128MiB
# Files that are not there, or not what they should be.
try plot none.json --kind layers -o x.svg
try plot empty.json --kind layers -o x.svg
try plot system.json --kind layers -o x.svg
try plot . --kind layers -o x.svg
try plot abci.json none.json --kind scaling -o x.svg
# Results that lack what is to be shown, or do not belong together.
try plot abci.json --kind accuracy -o x.svg
hiersearch predict abci --np 1 -q -o one.json >one.txt
try plot one.json --kind layers -o x.svg
try plot abci.json abci.json --kind layers -o x.svg
try plot abci.json summit.json --kind scaling -o x.svg
# Machines that were given as text have no name to tell them apart.
hiersearch predict 'node:4@100GB/s~1us,ib@12GB/s~3us' --np 8 -q -o slow.json >slow.txt
hiersearch predict 'node:4@100GB/s~1us,ib@25GB/s~3us' --np 16 -q -o fast.json >fast.txt
hiersearch predict '8xH100, 8xNDR400, 32' --np 16 -q -o h100.json >h100.txt
try plot slow.json fast.json --kind scaling --csv
try plot slow.json h100.json --kind scaling --csv
# Places that cannot be written.
try plot abci.json --kind layers -o none/x.svg
mkdir folder.svg
try plot abci.json --kind layers -o folder.svg
try report abci.json
try report abci.json -o none/x.html
try report empty.json -o x.html
try report abci.json -o x.html --size 3MiB
ls

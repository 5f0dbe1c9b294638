try() { echo "\$ $*"; hiersearch "$@" 2>&1; echo "exit $?"; }
data=$SRC/tests/answer/data
cp "$data"/*.json .
hiersearch predict abci --np 16 --size 1MiB -q -o p16.json >p16.txt
hiersearch predict abci --np 8 --size 64MiB -q -o p8.json >p8.txt
hiersearch predict abci --np 128 --size 1MiB:2MiB -q -o p128.json >p128.txt
: >empty.json
head -c 900 null8.json >cut.json
echo '{"format": "hiersearch.system/1"}' >system.json
# A measurement of which nothing is left.
sed 's/"status": "ok"/"status": "timeout"/; /"best"/d' table2.json >hung.json
# What is asked for.
try compare
try compare null8.json --plans some
try compare null8.json --size many
try compare null8.json --size 3MiB
try compare null8.json --beam 0
try compare null8.json --predict abcd
try compare null8.json --predict 'a:4@100'
try compare null8.json null8.json
# Files that are not there, or not what they should be.
try compare none.json
try compare empty.json
try compare cut.json
try compare system.json
try compare null8.json empty.json
try compare .
# A time that nothing can be compared with.
sed '0,/"median_seconds": 0.00015627096802668243/s//"median_seconds": 5e-324/' null8.json >instant.json
try compare instant.json
# Nothing to compare.
try compare p16.json
try compare p16.json p8.json
try compare p16.json --predict abci
try compare table2.json
try compare hung.json --predict abci
# Nothing in common.
try compare table2.json p16.json
try compare table2.json p16.json p128.json
# Places that cannot be written.
try compare null8.json -o none/x.json
mkdir folder
try compare null8.json -o folder

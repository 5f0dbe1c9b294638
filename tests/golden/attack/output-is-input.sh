# No command writes over a file that it reads, by whatever name it goes; the file stays as it was.
here=node:4@300GB/s~3us,net@25GB/s~5us
hiersearch predict $here --np 8 -q -o r.json >/dev/null
hiersearch systems --help >/dev/null
cp "$SRC/configs/abci.json" s.json
ln -s s.json link.json
ln r.json hard.json
cksum r.json s.json >before
try() { "$@" 2>&1 >/dev/null; echo "exit $?"; }
try hiersearch predict ./s.json --np 4 -o s.json
try hiersearch predict s.json --np 4 -o link.json
try hiersearch predict - --np 4 -o s.json <s.json
HIERSEARCH_CONFIGS=. try hiersearch predict s --np 4 -o s.json
try hiersearch export r.json --to colours -o r.json
try hiersearch export - --to colours -o hard.json <r.json
mkdir -p folder && cp r.json folder/colours.json
try hiersearch export folder/colours.json --to colours -o folder
try hiersearch plot r.json --as layers --csv -o r.json
try hiersearch plot s.json r.json --as scaling --csv -o ./r.json
try hiersearch report r.json -o hard.json
try hiersearch compare r.json -o r.json
try hiersearch fit s.json r.json -o s.json
try hiersearch simulate s.json --np 4 -o s.json
cksum r.json s.json | cmp - before && echo unchanged

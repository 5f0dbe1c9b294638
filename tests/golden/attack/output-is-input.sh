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
try hiersearch export r.json --to colors -o r.json
try hiersearch export - --to colors -o hard.json <r.json
mkdir -p folder && cp r.json folder/colors.json
try hiersearch export folder/colors.json --to colors -o folder
try hiersearch plot r.json --kind layers --csv -o r.json
try hiersearch plot s.json r.json --kind scaling --csv -o ./r.json
try hiersearch report r.json -o hard.json
try hiersearch fit s.json r.json -o s.json
try hiersearch simulate s.json --np 4 -o s.json
# Whatever the row is called that names it.
printf '#!/bin/sh\necho ran\n' >app && chmod +x app && cp app before-app
cp "$SRC/tests/golden/profile/job.json" p.json
cp -r "$SRC/tests/golden/profile/job.json" before-p
mkdir p.ranks && : >p.ranks/0.counts
try hiersearch profile --read p.json -o p.json
try hiersearch profile --read p.ranks -o p.ranks/0.counts
try hiersearch profile -o app -- ./app
try hiersearch run r.json -o r.json -- ./app
try hiersearch run r.json -o app -- ./app
try hiersearch predict $here --profile p.json -o p.json
try hiersearch predict $here --np 8 --compare-with s.json -o s.json
cmp p.json before-p && cmp app before-app
cksum r.json s.json | cmp - before && echo unchanged

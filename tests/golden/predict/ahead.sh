# Where the plan of least expected time is not the fastest nominally: one plan, one time, and the gain over the default call with its
# range, in the answer, in sweeps, in results, in reports.
hiersearch predict abci --np 128 --size 128MiB -q -k 1 -o abci.json | sed -n '/^\(Use\|Keep\|Cannot\)/,/^$/p'
hiersearch predict abci --np 128 --size 64MiB,128MiB -q
hiersearch predict abci --np 128 --size 128MiB -q --format csv -k 1 | cut -d , -f 1-4
hiersearch predict abci --np 128 --size 128MiB -q --format csv --style nccl-tests | cut -d , -f 12,17-
hiersearch predict abci --np 128 --size 128MiB,256MiB -q --format csv | cut -d , -f 2,3,6-9
sed -n '/"verdict": {/,/}/p' abci.json
PATH=/nowhere:$PATH hiersearch report abci.json -o abci.html -q 2>/dev/null
sed -n '/<h1>/p; /against the flat/p; /Evidence/p' abci.html
echo '$ no 3 % faster, and so the default is kept'
hiersearch predict dgx-b200-superpod --np 128 --size 16MiB -q -k 1 | sed -n '/^\(Use\|Keep\|Cannot\)/,/^$/p'
echo '$ no range of it where nothing is sampled'
hiersearch predict abci --np 128 --size 128MiB -q -k 1 --samples 0 --json | grep -c '"gain_low"'
hiersearch predict abci --np 128 --size 128MiB -q -k 1 --samples 0 | sed -n '/^\(Use\|Keep\|Cannot\)/,/^$/p'
echo '$ the verdict is the title of the report'
hiersearch predict dgx-h100-superpod --np 64 --size 1MiB -q -k 1 -o h100.json | sed -n '/^\(Use\|Keep\|Cannot\)/,/^$/p'
hiersearch report h100.json -o h100.html -q 2>/dev/null
sed -n '/<h1>/p; /against the flat/p; /Evidence/p' h100.html
# Commands of the page work: nccl-tuner has nothing to say where the times are those of NCCL's own choice.
grep -c -- '--to pytorch' h100.html; grep -c -- '--to nccl-tuner' h100.html || true

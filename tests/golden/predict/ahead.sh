# Where the plan that loses least is not the fastest by the figures as they stand, the gain is the median over the machines
# drawn, with its range, and what is ahead is named: in the answer, in sweeps, in results, in reports.
hiersearch predict abci --np 128 --size 128MiB -q -k 1 -o abci.json | sed -n '/^best/,/^ *reaches/p'
hiersearch predict abci --np 128 --size 64MiB,128MiB -q
hiersearch predict abci --np 128 --size 128MiB -q --format csv -k 1 | cut -d , -f 1-4
hiersearch predict abci --np 128 --size 128MiB -q --format csv --as nccl-tests | cut -d , -f 12,17-
hiersearch predict abci --np 128 --size 128MiB,256MiB -q --format csv | cut -d , -f 2,3,6-9
sed -n '/"gain": {/,/}/p' abci.json
echo '$ read back, and written as it was'
python3 - <<'END'
import json
gain = json.load(open("abci.json"))["results"][0]["gain"]
low, median, high = gain["low"], gain["median"], gain["high"]
print(low < median < high, 0.5 < gain["share"] < 1, gain["fastest"])
END
PATH=/nowhere:$PATH hiersearch report abci.json -o abci.html -q 2>/dev/null
sed -n '/<h1>/p; /against the flat/p; /By the figures/,/<\/p>/p' abci.html
echo '$ no faster in the median, and so left alone, but losing least'
hiersearch predict dgx-b200-superpod --np 128 --size 16MiB -q -k 1 | sed -n '/^NCCL/,/^best/p'
echo '$ nothing of the kind where none were drawn'
hiersearch predict abci --np 128 --size 128MiB -q -k 1 --machines 0 --json | grep -c '"gain"'
hiersearch predict abci --np 128 --size 128MiB -q -k 1 --machines 0 | sed -n '/^best/,/^ *reaches/p'
echo '$ what is left alone is the title of the report'
hiersearch predict dgx-h100-superpod --np 64 --size 1MiB -q -k 1 -o h100.json | sed -n '/^NCCL/,/^best/p'
hiersearch report h100.json -o h100.html -q 2>/dev/null
sed -n '/<h1>/p; /against the flat/p; /By the figures/,/<\/p>/p' h100.html
# Commands of the page work: nccl-tuner has nothing to say where the times are those of NCCL's own choice.
grep -c -- '--to pytorch' h100.html; grep -c -- '--to nccl-tuner' h100.html || true

# The same table for people and for programs: numbers are SI there, with all their digits.
hiersearch predict 'a:8@100GB/s~1us,b@10GB/s~5us' --np 16 --size 1MiB --top 2 --format csv -q
hiersearch predict 'a:8@100GB/s~1us,b@10GB/s~5us' --np 16 --size 1MiB --top 2 --format md -q
# As JSON it is the result file, as ever.
hiersearch predict 'a:8@100GB/s~1us,b@10GB/s~5us' --np 16 --size 1MiB --format json -q >format.json
hiersearch predict 'a:8@100GB/s~1us,b@10GB/s~5us' --np 16 --size 1MiB --json -q >json.json
for f in format json; do grep -v -e '"created"' -e '"command"' $f.json >$f.same; done
cmp format.same json.same && echo same
# Sweeps are a row per point, and an explanation is three tables.
hiersearch predict 'a:8@100GB/s~1us,b@10GB/s~5us' --np 8:16 --size 1MiB:2MiB --format csv -q
hiersearch predict 'a:8@100GB/s~1us,b@10GB/s~5us' --np 16 --size 1MiB --explain 8x2 --format csv -q
hiersearch predict abci --np 16 --format pdf

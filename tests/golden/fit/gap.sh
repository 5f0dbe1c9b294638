# One plan, measured whole (170 us) and by stages (20, 70, 20 us), says what lies between two calls: 30 us. Prices of layers
# stay NCCL's, plans have the gap, and the advice that a split was worth it may go.
plan="$SRC/tests/golden/fit/gap.json"
hiersearch fit dgx-h100-superpod "$plan" --name ours -o ours.json | sed -n '1,/^what changed/p'
grep 'gap_\|"parts"' ours.json
for system in dgx-h100-superpod ours.json; do
    hiersearch predict $system --np 64 --size 64KiB -k 9 -q --samples 0 --format csv | grep ',\(4x16\|64\|4x4x4\),' | cut -d , -f 4-5
done
echo '$ and what is drawn has it, too'
hiersearch predict ours.json --np 64 --size 64KiB -k 1 -q --details | sed -n '/^\(Use\|Keep\|Cannot\)/p; /^What decides/p'
hiersearch systems ours.json | grep ^latencies
echo '$ in a line of levels'
hiersearch predict 'a:4@100GB/s~1us,b@10GB/s~3us;gap=30us' --np 16 --size 1MiB -k 2 -q --samples 0 | sed -n '/^ *#/,$p'
hiersearch predict 'a:4@100GB/s~1us,b@10GB/s~3us' --np 16 --size 1MiB -k 2 -q --samples 0 | sed -n '/^ *#/,$p'
echo '$ stages that add up to the whole say nothing, and are too few for fits'
sed 's/0.00017,/0.00011,/; s/0.000168/0.000109/; s/0.000172/0.000112/' "$plan" >none.json
hiersearch fit dgx-h100-superpod none.json -o no.json 2>&1

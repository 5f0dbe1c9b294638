# After a fit the answer is shown again with what changed: what was asked for, else what was measured; the same by predict.
log="$SRC/tests/record/logs/nodes.txt"
line='8xH100, 8xNDR400, 32:2'
hiersearch fit "$line" "$log" --force --name ours -o ours.json --for 256 --size 1MiB -q | tee answer
hiersearch predict ours.json --np 256 --size 1MiB -q | sed -n '/^\(Use\|Keep\|Cannot\)/,/^$/p' | grep -Fxvf answer
hiersearch predict ours.json --compare-with "$line" --np 256 --size 1MiB -q | sed -n '/^ *best plan/,$p' | grep -Fxvf answer
hiersearch predict ours.json --compare-with "$line" --np 256 --size 1MiB --format csv -q | sed '1,/^$/d' | cut -d , -f 1-2,6-7 | cut -c 1-30
echo '$ results, and more of them for what they made'
hiersearch fit abci "$SRC/tests/golden/fit/4x8x4.json" "$SRC/tests/golden/fit/8x4x2x2.json" -q -o two.json --size 64MiB | sed -n '/^what/,$p'
hiersearch fit two.json "$SRC/tests/golden/fit/4x8x4.json" -o three.json --for 64 | sed -n '/^what/,$p'
grep -o '[0-9]* layer times of .* that it had' three.json | sed -n 1,1p
echo '$ more processes than are described: in the words of predict'
hiersearch fit two.json "$SRC/tests/golden/fit/4x8x4.json" -o three.json --for 8704 2>&1 | grep 8704
hiersearch predict three.json --np 8704 --size 128MiB 2>&1 | grep 'warning.*8704'
echo '$ nothing but the system on stdout'
hiersearch fit "$line" "$log" --force --name ours -q | cmp - ours.json
echo '$ a line of text is named after the file'
hiersearch fit "$line" "$log" --force -o 'My Log.json' -q | sed -n 1p
echo '$ refused'
hiersearch fit "$line" "$log" --force --for 256
hiersearch fit "$line" "$log" --force -o x.json --size 1MiB:2MiB
hiersearch predict ours.json --compare-with "$line" --np 256 --size 1MiB:2MiB
hiersearch predict ours.json --compare-with nowhere --np 256

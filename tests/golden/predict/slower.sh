# Where no plan that was asked for beats the flat split, the answer says so.
hiersearch predict abci --np 128 --size 1KiB --chunks 64 | grep -E '^(Use|Keep|Cannot)'
hiersearch predict abci --np 128 --size 1GiB --search containment --beam 1 -q | grep -E '^(Use|Keep|Cannot)'
# A measured layer that is far slower than described: what has it does not win.
sed '0,/"latency_us": 5.04905443016871/s//"latency_us": 1e7/' "$SRC/configs/abci-fitted.json" >slow.json
grep -c '"latency_us": 1e7' slow.json
hiersearch predict ./slow.json --np 128 | grep -E '^(Use|Keep|Cannot)'
# Figures that no column was made for.
hiersearch predict 'a@1e18GB/s~1e6s;s=1e6' --np 2147483648 --size 1PiB --top 1 -q | tail -n 1

# Rules for `hiersearch run`: by size, letters and chunks as they are, small messages the library's, where ranks would lie.
cluster='node:4@10GB/s~1us,ib@1GB/s~10us;library=mpich'
hiersearch predict "$cluster" --np 22 --size 64KiB,1MiB,64MiB -q -o sizes.json >/dev/null
hiersearch export sizes.json --to plans | sed 1d
hiersearch export sizes.json --to plans --plan 2hx11/4 2>&1 | tail -n 4
hiersearch predict "$cluster" --np 16 --size 1MiB --collective allgather --order permuted -q -o permuted.json >/dev/null
hiersearch export permuted.json --to plans
# What was predicted, and may be a loss with 90 %, is not for anybody to apply unmeasured; but by name.
hiersearch predict '8xH100, 8xNDR400' --np 512 --size 128KiB -q -o may-lose.json 2>err
hiersearch export may-lose.json --to pytorch 2>&1 | sed 's/([0-9.]* times/(LOW times/'
hiersearch export may-lose.json --to pytorch --plan 8x64 2>/dev/null | grep -c 'Rule(.*8, 64'

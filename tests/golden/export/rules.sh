# Rules for `hiersearch run`: by size, letters and chunks as they are, small messages the library's, where ranks would lie.
cluster='node:4@10GB/s~1us,ib@1GB/s~10us;library=mpich'
hiersearch predict "$cluster" --np 22 --size 64KiB,1MiB,64MiB -q -o sizes.json >/dev/null
hiersearch export sizes.json --to rules | sed 1d
hiersearch export sizes.json --to rules --plan 2hx11/4 2>&1 | tail -n 7
hiersearch predict "$cluster" --np 16 --size 1MiB --collective allgather --layout reversed -q -o reversed.json >/dev/null
hiersearch export reversed.json --to rules

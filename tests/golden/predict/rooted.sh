# Broadcast and reduce: searched and priced, run by nothing, and what takes no part in them says so in a line.
cluster='node:4@100GB/s~1us,ib@12GB/s~3us'
hiersearch predict "$cluster" --np 64 --size 4MiB --collective broadcast -k 3 -q
hiersearch predict "$cluster;library=mpich" --np 64 --size 4KiB --collective reduce -k 1 -q
hiersearch predict "$cluster" --np 16 --size 1MiB --collective bcast --explain 4hdx4hr --machines 0 | sed -n 1,20p
hiersearch predict "$cluster" --np 16 --size 1KiB,1GiB --collective reduce --as nccl-tests --machines 0 -q
hiersearch predict "$cluster" --np 64 --size 1MiB --collective reduce -k 1 --json -q | grep -E '"(collective|plan)"'
# What cannot be.
hiersearch predict dgx-h100 --np 64 --collective broadcast
hiersearch predict abci-fitted --np 64 --collective broadcast
hiersearch predict "$cluster" --mesh tp=4,dp=16 --over dp --collective reduce
hiersearch predict "$cluster" --mesh tp=4,dp=16 --place --messages dp:broadcast:1MiB
hiersearch predict "$cluster" --np 64 --collective reduce --order permuted
hiersearch predict "$cluster" --np 64 --collective reduce --chunks 1,2
hiersearch predict "$cluster" --np 16 --collective reduce --explain 4dx4
hiersearch simulate "$cluster" --np 8 --size 1MiB --collective broadcast
hiersearch predict "$cluster" --np 16 --size 1MiB --collective reduce -q -o reduce.json >/dev/null
hiersearch export reduce.json --to pytorch
hiersearch export reduce.json --to simgrid -o machine.xml
hiersearch plot reduce.json --as scaling --csv
hiersearch report reduce.json -o report.html
hiersearch compare reduce.json
hiersearch predict '8xH100, 8xNDR400, 32' --np 16 --collective broadcast

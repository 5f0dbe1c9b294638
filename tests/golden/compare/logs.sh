# A library's own calls from logs: beside their prices, and beside the fastest measured plan.
log="$SRC/tests/record/logs/nodes.txt"
hiersearch compare "$log" --predict '8xH100, 8xNDR400' -q
hiersearch fit '8xH100, 8xNDR400' "$log" --name here -q -o here.json >/dev/null
hiersearch compare - --predict here.json --size 1MiB -q <"$log" | sed 1d >stdin.out
hiersearch compare "$log" --predict here.json --size 1MiB -q | tee named.out
sed 1d named.out | cmp - stdin.out
printf '# OSU MPI Allreduce Latency Test v7.4\n# Size       Avg Latency(us)\n1024 20\n1048576 450\n' >osu.txt
printf 'np,nodes,call,bytes,us\n8,2,allreduce,1048576,120\n' >table.csv
cp "$SRC/tests/answer/data/null8.json" .
hiersearch compare null8.json osu.txt table.csv --np 8
hiersearch compare osu.txt --np 8 --nodes 2 --predict 'node:4@20GB/s~0.5us,ib@12GB/s~2us;library=mpich' --format csv
hiersearch compare null8.json osu.txt --np 8 --size 1MiB --json | sed -n '/"logs"/,$p'
# What cannot be compared, and why.
hiersearch compare osu.txt
hiersearch compare osu.txt --predict '8xH100, 8xNDR400' -q
hiersearch compare osu.txt --np 8 --predict abci -q
hiersearch compare osu.txt null8.json
hiersearch compare osu.txt null8.json --np 4

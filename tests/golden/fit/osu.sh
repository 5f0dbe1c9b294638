# Logs of OSU's benchmarks become the constants of MPI's price where the machine says which library it has.
printf '# OSU MPI Allreduce Latency Test v7.4\n# Size       Avg Latency(us)\n1024 24\n65536 96\n1048576 620\n16777216 9100\n' > osu.txt
printf '# OSU MPI All-to-All Personalized Exchange Latency Test v7.4\n# Size       Avg Latency(us)\n1024 24\n' > alltoall.txt
cpus='node:4@20GB/s~0.5us,ib@12GB/s~2us;library=mpich'
hiersearch fit "$cpus" osu.txt --np 8 -o out.json
hiersearch fit "$cpus" osu.txt --np 6 --nodes 2 -o out.json
hiersearch fit "$cpus" alltoall.txt --np 8 --nodes 2 -o out.json
hiersearch fit '8xH100, 8xNDR400' osu.txt --np 8 --nodes 2 -o out.json
hiersearch fit "$cpus" osu.txt --np 8 --nodes 2 --algorithm halfing -o out.json
hiersearch fit "$cpus" osu.txt --np 8 --nodes 2 --name cpus --force -o cpus.json >/dev/null
hiersearch predict "$cpus" --np 64 --size 1MiB --top 1 -q | sed -n 4p
hiersearch predict cpus.json --np 64 --size 1MiB --top 1 -q | sed -n 4p
# Several counts and calls in one file, and an algorithm that was forced.
printf 'call,np,nodes,bytes,us\nallreduce,16,2,67108864,520\nallreduce,32,4,67108864,560\n' > forced.csv
hiersearch fit '8xH100, 8xNDR400' forced.csv --algorithm ring -o ring.json >/dev/null
# It is remembered: what is predicted is a ring, also where the rule would take a tree; refitted, it stays.
grep library_algorithm ring.json
hiersearch predict ring.json --np 64 --size 64KiB -q | grep -o 'default (ring[^)]*)'
hiersearch predict '8xH100, 8xNDR400' --np 64 --size 64KiB -q | grep -o 'default (tree[^)]*)'
hiersearch fit ring.json forced.csv -q | grep library_algorithm
hiersearch fit "$cpus" osu.txt --np 8 --nodes 2 --algorithm ring --force -o mpi-ring.json >/dev/null
hiersearch predict mpi-ring.json --np 64 --size 1KiB -q | grep -o 'default (ring)\|(ring, [^)]*)'
sed 's/"ring"/"star"/' ring.json >star.json && hiersearch predict star.json --np 64 --size 64KiB
hiersearch fit '8xH100, 8xNDR400' forced.csv --algorithm pat -o out.json
hiersearch fit '8xH100, 8xNDR400' "$SRC/tests/record/logs/rccl.txt" -o out.json
hiersearch fit mi300x "$SRC/tests/record/logs/rccl.txt" -o out.json
hiersearch fit '8xH100, 8xNDR400' "$SRC/tests/record/logs/no-heading.txt" -o out.json
ls

# What `hiersearch run` refuses before a program begins.
hiersearch predict 'node:4@10GB/s~1us,ib@1GB/s~10us' --np 16 --size 1MiB -q -o sums.json >/dev/null
hiersearch predict 'node:4@10GB/s~1us,ib@1GB/s~10us' --np 8 --size 1MiB --collective allgather -q -o other.json >/dev/null
hiersearch run sums.json
hiersearch run -- true
hiersearch run sums.json other.json -- true
hiersearch run sums.json sums.json -- true
hiersearch run sums.json --verify -1 -- true
hiersearch run no.json -- true
hiersearch run --np 4 sums.json -- true
hiersearch run -np 4 sums.json -- true
hiersearch profile --np=4 -- true
hiersearch run sums.json --interposer no.so -- true

# Beyond the machine: a warning, and a mark on each row.
hiersearch predict 'a:4@100GB/s~1us,b:2@10GB/s~1us' --np 16 --top 2 2>&1
hiersearch predict 'a:4@100GB/s~1us,b:2@10GB/s~1us' --np 8:32 2>&1
hiersearch predict 'a:4@100GB/s~1us,b:2@10GB/s~1us' --np 16 --quiet 2>&1 | sed -n 1,1p

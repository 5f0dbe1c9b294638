# Times that are right, why they look low or too fast, and what would not show; what cannot be judged.
csv() { echo 'bytes,seconds,np,nodes,call'; echo "$1"; }
echo '$ 96 GB/s is four NICs at their 24 (NVIDIA/nccl-tests 119)'
csv 133169160,0.002666,24,3,allreduce >33.csv
hiersearch check '8xA100, 4xHDR200' 33.csv; echo "exit status $?"
echo '$ a size that is too small for 480 GB/s (NVIDIA/nccl-tests 212)'
csv 268435456,0.0010737,8,1,allreduce >35.csv
hiersearch check 8xH100 35.csv; echo "exit status $?"
echo '$ above the NIC by a tree (NVIDIA/nccl-tests 22)'
csv 1073741824,0.134,16,2,allreduce >37.csv
hiersearch check '8xV100, 1xEFA100' 37.csv; echo "exit status $?"
echo '$ cannot judge: more than the NICs carry, no nodes, no machine'
csv 8589934592,0.05,32,4,allreduce >fast.csv
hiersearch check '8xH100, 1xNDR400' fast.csv; echo "exit status $?"
printf 'bytes,seconds\n8589934592,0.05\n' >bare.csv
hiersearch check '8xH100, 8xNDR400' bare.csv --np 16 --call allreduce; echo "exit status $?"
hiersearch check fast.csv; echo "exit status $?"
hiersearch check '8xH100'; echo "exit status $?"

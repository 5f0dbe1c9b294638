# Low times: a cause that only times speak for fits, with what a row or a rate excludes, and one next step. Rates are those of public threads.
csv() { echo 'bytes,seconds,np,nodes,call'; echo "$1"; }
echo '$ no GPUDirect RDMA (NVIDIA/nccl 1412): 33 of 100 GB/s'
csv 1073741824,0.030229,16,2,allgather >01.csv
hiersearch check '8xA100, 4xHDR200' 01.csv; echo "exit status $?"
echo '$ NVLS off (NVIDIA/nccl 2140): 370 of 480 GB/s'
csv 8589934592,0.040628,8,1,allreduce >07.csv
hiersearch check 8xH100 07.csv; echo "exit status $?"
echo '$ chunks of NVLSTree (NVIDIA/nccl 1112): 104 GB/s on 8 nodes; and where the version is known'
csv 4294967296,0.081146,64,8,allreduce >09.csv
hiersearch check '8xH100, 32xEFA100' 09.csv; echo "exit status $?"
hiersearch check '8xH100, 32xEFA100' 09.csv --library-version 2.19.3 | grep -E '^(where|fits)'
echo '$ forced: what was asked for is expected, what the environment did is established'
csv 8589934592,0.040628,8,1,allreduce >ring.csv
hiersearch check 8xH100 ring.csv --algorithm ring; echo "exit status $?"
hiersearch check 8xH100 ring.csv --env NCCL_NVLS_ENABLE=0; echo "exit status $?"
echo '$ against the same machine when it was right'
csv 8589934592,0.0310,8,1,allreduce >good.csv
hiersearch check 8xH100 07.csv --good good.csv | sed -n 1p

# What the best plans gain a job: by the model of a machine, with a price of the library and without, and by what results measured.
for name in profile/job profile/train profile/nccl predict/job-measured; do cp "$SRC/tests/golden/$name.json" .; done # names of one length
job=job.json train=train.json
cluster='node:4@10GB/s~0.5us,ib:4@2GB/s~5us,spine@1GB/s~20us;library=mpich'
hiersearch predict "$cluster" --profile "$train"
hiersearch predict abci --profile "$job"
hiersearch predict perlmutter --profile nccl.json --format md
# Each row is the answer that the same question has by itself: 67.11 ms for the reduce-scatter of groups of 8, 8 apart.
hiersearch predict "$cluster" --profile "$train" --json | grep reduce-scatter
hiersearch predict "$cluster" --mesh a=8,b=8 --group b --collective reduce-scatter --size 64MiB -q --json | grep -E '"best"|^        "seconds"' | sed -n 1,2p
# 10 calls a rank of 8000 bytes, halfway between 4000 and 16000: 10 (sqrt(20 x 80) - sqrt(10 x 60)) ms.
hiersearch predict job-measured.json --profile "$job" --format csv | sed -n 1,2p
hiersearch predict job-measured.json --profile "$job" | sed -n 1,4p
# A quarter of its time but for the waiting was skew between ranks: three quarters of the gain, where that stays.
sed '0,/"waited_seconds": 0.129.*/s//&, "skewed_seconds": 0.1377741434/' "$job" >skewed.json
hiersearch predict job-measured.json --profile skewed.json --format csv | sed -n 1,2p
hiersearch predict job-measured.json --profile skewed.json | sed -n 1,12p
# Ten times as long as all that the library was measured with: what it takes there is no measurement to hold the job to.
sed 's/"bytes": 320000,/"bytes": 3200000,/' "$job" >longer.json
hiersearch predict job-measured.json --profile longer.json | sed -n 1,4p
# What cannot be.
sed 's/"np": 4/"np": 2/; s/"ranks": 4/"ranks": 2/; s/"2x2"/"2"/; s/"plan": "4"/"plan": "1"/' job-measured.json |
    sed '/"plan": "1"/,+1d; s/0}},$/0}}]/' >two.json
hiersearch predict two.json --profile "$job"
hiersearch predict abci --profile "$job" --np 4
hiersearch predict abci --profile "$job" --explain best
hiersearch predict abci abci --np 4
hiersearch predict abci --profile job-measured.json

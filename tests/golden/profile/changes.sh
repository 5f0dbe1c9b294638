# What became of a job's calls: half the time in the largest ones, which now wait more; one kind that is no more, one that is new.
before="$SRC/tests/golden/profile/train.json"
sed '/"calls": 12800,/,/}/{ /"bytes": 335544320000/,/}/{ s/"seconds": 800.0,/"seconds": 400.0,/; s/"sampled_seconds": 3.125,/"sampled_seconds": 1.5625,/ } }
    s/"MPI_Bcast"/"MPI_Ibcast"/; s/"seconds": 60,/"seconds": 54,/; s/"bytes": 102400,/"bytes": 127999,/' "$before" >after.json
hiersearch profile --read after.json --compare-with "$before"
hiersearch profile --read after.json --compare-with "$before" --format csv
hiersearch profile --read "$before" --compare-with after.json | sed -n 1,3p
hiersearch profile --read after.json --compare-with "$before" --top 2 | sed -n '/^call/,$p'
hiersearch profile --read after.json --compare-with "$before" --top 2 --json | grep -c '"call":'
# What cannot be.
hiersearch profile --compare-with "$before"
hiersearch profile --read after.json --compare-with "$SRC/tests/golden/profile/job.json"
hiersearch profile --read after.json --compare-with "$SRC/tests/golden/predict/job-measured.json"

# What became of a job's calls: half the time in the largest ones, which now wait more; one kind that is no more, one that is new.
before="$SRC/tests/golden/profile/train.json"
sed '/"calls": 12800,/,/}/{ /"bytes": 335544320000/,/}/{ s/"seconds": 800.0,/"seconds": 400.0,/; s/"sampled_seconds": 3.125,/"sampled_seconds": 1.5625,/ } }
    s/"MPI_Bcast"/"MPI_Ibcast"/; s/"seconds": 60,/"seconds": 54,/; s/"bytes": 102400,/"bytes": 127999,/' "$before" >after.json
hiersearch compare "$before" after.json
hiersearch compare "$before" after.json --format csv
hiersearch compare after.json "$before" | sed -n 1,3p
hiersearch compare "$before" after.json -o changes.json && grep -c '"call":' changes.json
# What cannot be.
hiersearch compare "$before"
hiersearch compare "$before" after.json --plans all
hiersearch compare "$before" "$SRC/tests/golden/profile/job.json"
hiersearch compare "$before" "$SRC/tests/golden/predict/job-measured.json"

sed 's/"MPI_Allgather"/"MPI_Allgather", "often": 3/' "$SRC/tests/golden/profile/job.json" >bad.json
hiersearch profile --read bad.json

# nccl_ranks.sh - for tests of programs with the stand-in for NCCL: processes as torchrun starts them.
# ranks NP COMMAND...: so many processes at once; what they print is in N.said, what they were left by in statuses.
ranks() {
    local np=$1 pids=() pid
    shift
    rm -rf "$JOB_FOLDER" ./*.said
    mkdir "$JOB_FOLDER"
    for ((rank = 0; rank < np; rank++)); do
        RANK=$rank WORLD_SIZE=$np timeout -k 5 60 "$@" >"$rank.said" 2>&1 </dev/null &
        pids+=($!)
    done
    statuses=''
    for pid in "${pids[@]}"; do
        wait "$pid" 2>/dev/null
        statuses+="$? "
    done
}

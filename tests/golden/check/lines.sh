# Lines that NCCL prints of itself establish a cause, in the log, or in a file beside it; without a machine the log's own lines say it.
cp "$SRC"/tests/record/logs/info-*.txt . && logs=.
for log in info-gdr info-nvls info-sockets info-forced; do
    case $log in info-gdr) machine='8xA100, 4xHDR200';; info-nvls) machine=8xH100;; info-sockets) machine='8xA100, 1xRoCE200';; *) machine='8xA100, 2xHDR200';; esac
    echo "$ $log"
    hiersearch check "$machine" "$logs/$log.txt"; echo "exit status $?"
done
echo '$ the machine by its own lines, the lines in a file of their own'
hiersearch check "$logs/info-nvls.txt" | sed -n 1,2p
printf 'bytes,seconds,np,nodes,call\n8589934592,0.040628,8,1,allreduce\n' >bare.csv
hiersearch check 8xH100 bare.csv --info "$logs/info-nvls.txt" | grep '^established'
echo '$ all rows and causes for programs'
hiersearch check 8xH100 "$logs/info-nvls.txt" --json | sed -n 1,33p
hiersearch check 8xH100 "$logs/info-nvls.txt" --format csv
hiersearch check 8xH100 "$logs/info-nvls.txt" --details | tail -2

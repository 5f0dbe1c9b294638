# A list of ranks that was cut: busbw / algbw says how many there were. Told, they count.
log="$SRC/tests/record/logs/ranks-cut.txt"
hiersearch fit '8xA100, 8xHDR200, 32' "$log" -o out.json
hiersearch fit '8xA100, 8xHDR200, 32' "$log" --np 16 -o out.json
hiersearch fit '8xA100, 8xHDR200, 32' "$log" --np 16 --nodes 2 --force -o out.json >/dev/null
# What NCCL prints of itself has no time in it.
grep 'NCCL INFO' "$SRC/tests/record/logs/info-gdr.txt" >info.txt
hiersearch fit '8xA100, 4xHDR200, 32' info.txt -o other.json
hiersearch check '8xA100, 4xHDR200, 32' info.txt
grep 'NCCL INFO' "$SRC/tests/record/logs/info-ring.txt" >ring.txt
hiersearch check '8xH100, 8xNDR400, 32' ring.txt
ls

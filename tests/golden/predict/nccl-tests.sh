# The columns of nccl-tests, size by size: its default sizes are those of -b 8 -e 8G -f 2.
hiersearch predict dgx-h100-superpod --np 64 --style nccl-tests -q >all
sed -n '1,4p; $p' all
awk '$4 == "sum" { sizes++; last = $1; bad += $2 * 4 != $1 } END { print sizes, last, bad + 0 }' all
hiersearch predict dgx-h100-superpod --np 64 --style nccl-tests -q --size 64KiB,1GiB --dtype bf16
echo
# busbw = algbw 2 (P - 1) / P = size / time 2 (P - 1) / P
hiersearch predict abci --np 16 --style nccl-tests -q --size 1MiB --format csv
hiersearch predict dgx-h100-superpod --np 16 --style nccl-tests -q --size 1KiB:1MiB --format csv | sed 's/"[^"]*"/quoted/g' |
    awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        { off = $at["bus_bytes_per_second"] * $at["seconds"] / $at["message_bytes"] / (2 * 15 / 16) - 1; bad += off * off > 1e-20 }
        $at["library_low_seconds"] < $at["library_seconds"] && $at["library_seconds"] < $at["library_high_seconds"] { inside++ }
        END { print NR - 1, bad + 0, inside }'
hiersearch predict dgx-h100-superpod --np 16 --style nccl-tests -q --size 1MiB --json | sed 's/[0-9]*\.[0-9]*e*-*[0-9]*/N/g'
hiersearch predict abci --np 1 --style nccl-tests -q --size 8B
# The result file goes beside it.
hiersearch predict dgx-h100-superpod --np 16 --style nccl-tests -q --size 1MiB -o r.json >/dev/null && sed -n '/"library"/,/}/p' r.json
hiersearch predict abci --np 16,32 --style nccl-tests
hiersearch predict abci --np 16 --style nccl-tests --explain best
hiersearch predict abci --np 16 --style nccl-test

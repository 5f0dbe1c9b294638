# A FIFO that nobody reads does not hang anything, and no device becomes a file.
here=node:4@300GB/s~3us,net@25GB/s~5us
hiersearch predict $here --np 8 -q -o r.json >/dev/null
mkfifo fifo
for to in fifo /dev/null /dev/full; do
    hiersearch predict $here --np 8 -o $to >/dev/null
    hiersearch export r.json --to colors -o $to
    hiersearch plot r.json --kind layers --csv -o $to
    hiersearch report r.json -o $to
done
test -p fifo && test -c /dev/null && test -c /dev/full && echo "all as they were"

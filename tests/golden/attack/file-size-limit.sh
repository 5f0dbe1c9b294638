# A limit on the size of files is an error that is said, no signal, and leaves nothing behind.
here=node:4@300GB/s~3us,net@25GB/s~5us
(
    ulimit -f 1
    hiersearch predict $here --np 64 -q -o r.json >/dev/null
    echo "exit $?"
)
ls -A

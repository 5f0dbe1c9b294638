# JSON on stdout, in a file, and both ways the same.
cp "$SRC"/tests/answer/data/null*.json .
hiersearch compare null4.json null8.json --json >a.json
hiersearch compare null4.json null8.json -o b.json | sed -n 1,2p
hiersearch compare null4.json null8.json -o - >c.json
for file in a b c; do grep -v '"command"' $file.json >$file.txt; done
cmp a.txt b.txt && cmp a.txt c.txt && cat a.json

# A measurement without a machine is matched with a prediction of the same count and size; what
# does not fit is said.
cp "$SRC/tests/answer/data/table2.json" .
hiersearch predict abci --np 128 --size 128MiB -q -o p128.json >p128.txt
hiersearch predict abci --np 64 --size 128MiB -q -o p64.json >p64.txt
hiersearch predict abci --np 128 --size 1MiB -q -o small.json >small.txt
hiersearch compare table2.json p128.json p64.json small.json
echo "--- two machines"
hiersearch predict 'node:4@100GB/s~4us,net@20GB/s~5us' --np 128 --size 128MiB -q -o q.json >q.txt
hiersearch compare table2.json p128.json q.json

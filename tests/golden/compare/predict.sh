# Another machine in place of the predictions in the files, as a line of text.
cp "$SRC"/tests/answer/data/null*.json .
hiersearch predict abci --np 8 --size 1MiB -q -o p8.json >p8.txt
hiersearch compare null8.json p8.json --predict 'node:4@100GB/s~4us,net@20GB/s~5us'
echo "--- quiet, no plans"
hiersearch compare null8.json p8.json -q --predict abci --plans none

# Of the processes of a job the one with the number 0 tells what is the same for all: help. Each prints what it finds.
process() { rank=$1; shift; RANK=$rank WORLD_SIZE=2 hiersearch "$@"; }
for rank in 0 1; do
    echo "process $rank:"
    process "$rank" --help | sed -n 1,1p
    process "$rank" | sed -n 1,1p
    process "$rank" run --help | sed -n 1,1p
    process "$rank" help predict | sed -n 1,1p
    process "$rank" systems abci --text
done
# And one says what is wrong, while the other ends with the same status.
process 1 nonsense

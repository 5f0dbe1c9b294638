# A job that got some of a node's GPUs, where single links join them: which machine that is, and what is no choice.
hiersearch predict dgx1-v100 --gpus 6,0,4,1 -q -o some.json | sed -n 1,1p
python3 - <<'END'
import json
level = json.load(open("some.json"))["system"]["levels"][0]
print(level["arity"], level["relays"], [link["between"] + [link.get("count", 1)] for link in level["links"] if max(link["between"]) < 4])
END
hiersearch predict dgx1-v100 --gpus 0,1,4,6 --np 8 -q | sed -n 1,1p
# A range is the numbers from one to the other.
hiersearch predict dgx1-v100 --gpus 0-3,6 -q | sed -n 1,1p
try() { echo "\$ hiersearch predict $*"; hiersearch predict "$@" 2>&1; echo "exit $?"; }
try dgx1-v100 --gpus 0,8
try dgx1-v100 --gpus 0,64
try dgx1-v100 --gpus 3
try dgx1-v100 --gpus 0,0
try dgx1-v100 --gpus 5-0
try dgx1-v100 --gpus 0-5,3
try dgx1-v100 --gpus 0-
try dgx1-v100 --gpus 0-8
try abci --gpus 0,1
try mi250-16 --gpus 15,0,3
# Each kind of choice is counted once, and all are counted: 28 of 6 of 8, 6 of 2 of 4, where two share a socket or not.
kinds() { hiersearch predict "$@" --samples 0 -k 100 -q --format csv | sed -n '/^gpus,/,$p' | tail -n +2; }
for job in 'dgx1-v100 --np 6' 'dgx1-p100 --np 6' 'mi250x --np 4'; do
    kinds $job | python3 -c 'import csv, sys; print(sum(int(row[1]) for row in csv.reader(sys.stdin)))'
done
kinds ac922-4gpu --np 2 | sed 's/"\([^"]*\)",\([0-9]*\),.*/\1: \2/' | sort
hiersearch predict ac922-4gpu --np 2 -q | grep -o 'choices of 2 .* of 2 kinds'
# The same of a whole node, of several, and of GPUs that were asked for: no choice.
for job in '--np 4' '--np 8' '--gpus 0,2'; do
    hiersearch predict ac922-4gpu $job -q | grep -c 'choices of'
done
hiersearch predict mi250-16 --np 8 -q | grep 'choices of'
hiersearch predict ac922-4gpu --np 2 -q | grep -o "the worst, .*"
# Without packed trees that were not asked for, what they would gain is a note.
for job in '' '--algorithms all' '--algorithms ring'; do
    hiersearch predict dgx1-v100 --gpus 0,1,4,6 --samples 0 --size 64MiB $job 2>&1 >/dev/null | sed 's/takes .*faster/takes ... faster/'
done

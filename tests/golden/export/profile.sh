# Rules of what a job calls: of several results in one table, the sizes that it calls alone; formats without sizes have the one that costs most.
train="$SRC/tests/golden/profile/train.json"
cluster='node:4@10GB/s~0.5us,ib:4@2GB/s~5us,spine@1GB/s~20us'
predict() { hiersearch predict "$cluster" "$@" -q >/dev/null; }
predict --np 64 --size 4KiB,4MiB,1GiB -o all.json
predict --mesh tp=8,dp=8 --group dp --collective reduce-scatter --size 64MiB -o dp.json
predict --mesh tp=8,dp=8 --group tp --collective all-to-all --size 64MiB -o tp.json
rules() { hiersearch export "$@" | grep -v '^#'; }
rules all.json --to rules
rules all.json --profile "$train" --to rules
rules all.json dp.json tp.json --profile "$train" --to rules
rules all.json dp.json --to rules
hiersearch export all.json --profile "$train" --to colors | grep -E '"plan"|for messages of'
# What cannot be.
hiersearch export tp.json --profile "$train" --to rules
hiersearch export all.json dp.json --to ompi-tuned
hiersearch export all.json all.json --to rules
hiersearch export all.json dp.json --size 4KiB --to rules
hiersearch export all.json --profile "$SRC/tests/golden/profile/job.json" --to rules
hiersearch export all.json dp.json --to rules -o dp.json

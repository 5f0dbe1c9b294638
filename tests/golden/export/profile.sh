# Rules of what a job calls: of several results in one table, the sizes that it calls alone; formats without sizes have the one that costs most.
train="$SRC/tests/golden/profile/train.json"
cluster='node:4@10GB/s~0.5us,ib:4@2GB/s~5us,spine@1GB/s~20us'
predict() { hiersearch predict "$cluster" "$@" -q >/dev/null; }
predict --np 64 --size 4KiB,4MiB,1GiB -o all.json
predict --mesh tp=8,dp=8 --over dp --collective reduce-scatter --size 64MiB -o dp.json
predict --mesh tp=8,dp=8 --over tp --collective all-to-all --size 64MiB -o tp.json
rules() { hiersearch export "$@" | grep -v '^#'; }
rules all.json --to plans
rules all.json --profile "$train" --to plans
rules all.json dp.json tp.json --profile "$train" --to plans
rules all.json dp.json --to plans
hiersearch export all.json --profile "$train" --to colours | grep -E '"plan"|for messages of'
# What cannot be.
hiersearch export tp.json --profile "$train" --to plans
hiersearch export all.json dp.json --to ompi-tuned
hiersearch export all.json all.json --to plans
hiersearch export all.json dp.json --size 4KiB --to plans
hiersearch export all.json --profile "$SRC/tests/golden/profile/job.json" --to plans
hiersearch export all.json dp.json --to plans -o dp.json

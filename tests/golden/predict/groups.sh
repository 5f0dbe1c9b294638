# Groups of a mesh: the axis' own layers, contention of all groups, with a gap, and what is wrong.
p() { hiersearch predict "$@" 2>&1 || echo "exit $?"; }
try() { "$@" 2>&1 || echo "exit $?"; }
machine=nv:8@300GB/s~3us,ib@25GB/s~12us
p $machine --mesh tp=8,dp=64 --group dp --size 16MiB --samples 0
p $machine --mesh tp=4,dp=32 --group dp --size 16MiB --samples 0 --collective reduce-scatter -k 3
p $machine --mesh tp=4,pp=2,dp=16 --group tp,dp --size 16MiB -k 3
p $machine --np 128 --mesh tp=4,pp=2,dp=16 --group pp --size 16MiB -k 3 --samples 0
p $machine --mesh tp=4,pp=2,dp=16 --group tp,dp --size 1MiB:4MiB --samples 0
p $machine --mesh tp=4,pp=2,dp=16 --group tp,dp --size 1MiB --explain 2x2x16 --samples 0
p '8xH100, 8xNDR400' --mesh tp=8,dp=16 --group dp --size 16MiB -k 2
p '8xH100, 8xNDR400' --mesh tp=2,pp=2,dp=16 --group tp,dp --size 16MiB -k 2
p $machine --mesh tp=1,dp=16 --group tp
p $machine --mesh tp=4,dp=16 --group dp --size 1MiB --samples 0 -o out.json --quiet >/dev/null
grep -E '"(np|mesh|over|plan|best)":' out.json
hiersearch report out.json -o report.html >/dev/null && grep -o '<title>AllReduce.*' report.html
p $machine
p $machine --mesh tp=8
p $machine --group dp
p $machine --mesh tp=8,dp --group dp
p $machine --mesh tp=8,tp=4 --group tp
p $machine --mesh tp=8,dp=4 --group pd
p $machine --mesh tp=8,dp=4 --group expert
p $machine --np 64 --mesh tp=8,dp=4 --group dp
p $machine --np 8:64 --mesh tp=8,dp=4 --group dp
p $machine --mesh tp=4,pp=2,dp=16 --group tp,dp --explain 8x8
p $machine --mesh tp=4,pp=2,dp=16 --group tp,dp --explain 4x8
for to in mpich ucc; do
    try hiersearch export out.json --to $to -o here
done
hiersearch export out.json --to simgrid -o here && ls here
sed 's/"group": "dp"/"group": "pp"/' out.json >bad.json; try hiersearch report bad.json -o x.html
sed 's/"mesh": "tp=4,dp=16"/"mesh": "tp=4,dp=8"/' out.json >bad.json; try hiersearch report bad.json -o x.html
sed '/"group":/d' out.json >bad.json; try hiersearch report bad.json -o x.html
sed '/"mesh":/d' out.json >bad.json; try hiersearch report bad.json -o x.html
sed 's/"plan": "16"/"plan": "64"/' out.json >bad.json; try hiersearch report bad.json -o x.html
# As a job's messages write several axes of a group.
p $machine --mesh tp=4,pp=2,dp=16 --group tp+dp --size 1MiB -k 1 --samples 0 | sed -n 1,1p
p $machine --mesh tp=4,dp=16 --group tp+ep

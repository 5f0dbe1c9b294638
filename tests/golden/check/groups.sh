# What others make of a measurement of all groups of a mesh at once (the null backend's, with noise and a plan that is
# faster than predicted): 2 groups of 4 over b and c, whose layers begin at stride 2.
cp "$SRC/tests/golden/check/groups.json" .
hiersearch check groups.json --details
echo '$ fit'
hiersearch fit 'nv:2@80GB/s~3us,ib@10GB/s~8us' groups.json --name ours -o ours.json | sed -n '1,3p'
grep -o '"points": \[' ours.json
hiersearch predict ours.json --mesh a=2,b=2,c=2 --group b,c --size 1MiB -q --format csv | cut -d , -f 1-5
echo '$ report'
hiersearch report groups.json -o report.html
grep -o '[^>]*over b,c of a=2,b=2,c=2[^<]*' report.html | sort -u
echo '$ plots'
hiersearch plot groups.json --kind layers --size 1MiB --csv | sed -n 1,20p
echo '$ exports are of the groups, or refuse'
hiersearch export groups.json --to nccl-tuner -o out 2>&1
hiersearch export groups.json --to nccl-env 2>&1
echo "exit $?"

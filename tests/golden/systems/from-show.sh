# What people see of files.
cd "$SRC/tests/detect/topologies" && hiersearch systems --from dgx-h100.txt dgx-h100-ibstat.txt topology.conf
# Under a name of one's own, and as wide as it is asked for.
hiersearch systems --from dgx-h100.txt --name mine --json | sed -n 3p
hiersearch systems --from dgx-h100.txt --name mine --width 60 | sed -n '/^system/,/^level/p'

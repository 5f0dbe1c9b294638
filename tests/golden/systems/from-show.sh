# What people see of files.
cd "$SRC/tests/machine/topologies" && hiersearch systems --from dgx-h100.txt dgx-h100-ibstat.txt topology.conf

try() { echo "\$ --size $*"; hiersearch predict abci --np 4 --size "$@" 2>&1; echo "exit $?"; }
for size in 0 0MiB -1 1e30 '12MB MB' 12XB MiB 1.3B nan inf '' 2PiB 4MiB:1MiB 1MiB:; do
    try "$size"
done

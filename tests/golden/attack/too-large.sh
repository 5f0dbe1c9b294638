# What could not be read back is not written, and that is said before most of the work.
hiersearch predict abci --np 4096 --size 1:1PiB -k 10000 -o x.json
echo "exit $?"
hiersearch predict abci --np 4096 --size 1:1PiB -k 10000 --json
echo "exit $?"
ls

# The library's own collective on layers, by the rule of the library that the system names; without one it has no price.
machine='node:4@20GB/s~0.5us,ib@12GB/s~2us'
hiersearch predict "$machine;library=mpich" --np 64 --size 1MiB --algorithms native --top 3 --samples 0
echo
hiersearch predict "$machine;library=mpich" --np 64 --size 1MiB --samples 0 --explain 16nx4rn | sed -n 1,12p
echo
hiersearch predict "$machine;library=openmpi" --np 16 --size 1MiB --algorithms all --top 1 --samples 0
echo
hiersearch predict "$machine" --np 64 --size 1MiB --algorithms native
echo "exit $?"

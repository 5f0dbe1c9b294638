# Where the axes of a job's mesh are to lie: all orders and cut axes, what each message takes, how sure, and as other programs are told it.
node='node:4@100GB/s~1us,ib@12GB/s~3us'
messages='tp:allreduce:16MiB*32,dp:reduce-scatter:256MiB,dp:allgather:permuted:256MiB'
hiersearch predict "$node" --mesh dp=16,tp=4 --place --messages "$messages" --compute 300ms
hiersearch predict 'gpu:2@200GB/s~1us,node:4@50GB/s~2us,ib@12GB/s~5us' --mesh a=4,b=4,c=4 --place \
    --messages 'a:allreduce:64MiB,b:allreduce:48MiB,c:allreduce:1MiB' --top 3
printf 'tp:allreduce:1MiB*8 # of the layers\n\ntp+dp:allreduce:8KiB\n' > job.txt
hiersearch predict '8xH100, 8xNDR400, 32:2' --mesh tp=8,pp=2,dp=4 --place --messages ./job.txt --top 2
hiersearch predict "$node" --mesh tp=4,dp=16 --place --messages "$messages" --format csv
hiersearch predict "$node" --mesh tp=4,dp=16 --place --messages "$messages" --overlap --top 1 | sed -n 4,5p
hiersearch predict flat@10GB/s~1us --mesh tp=4,dp=16 --place --messages "$messages" --overlap --compute 1s | sed -n 4,5p
for form in device-mesh megatron torchtitan srun; do
    hiersearch predict "$node" --mesh dp=16,tp=4 --place --messages "$messages" --as $form
done
hiersearch predict "$node" --mesh dp=2,tp=4 --place --messages "$messages" --as rankfile -q
hiersearch predict "$node" --mesh dp=2,tp=4 --place --messages "$messages" --as hostfile --hosts left,right
hiersearch predict "$node" --mesh dp=2,tp=4 --place --messages "$messages" --as rankfile --hosts left,right
hiersearch predict "$node" --mesh dp=4,pp=2,tp=4 --place --messages "$messages,pp:allreduce:1MiB" --as megatron -q
# Cut axes, and the same in Python.
cluster='gpu:8@200GB/s~1us,node:16@50GB/s~2us,ib:32@12GB/s~5us,spine@40GB/s~9us;executor=host'
many='a:allreduce:64MiB*10,b:allgather:1MiB*100,c:reduce-scatter:256MiB,d:allreduce:1GiB'
hiersearch predict "$cluster" --mesh a=8,b=8,c=8,d=8 --place --messages "$many" | sed -n 2,6p
hiersearch predict "$cluster" --mesh a=8,b=8,c=8,d=8 --place --messages "$many" --as device-mesh | grep arange
# Cut, and where nodes do not get ranks in turn, as launchers are told it.
pair='node:2@50GB/s~2us,pair:2@9GB/s~3us,ib@2GB/s~5us'
for form in 'hostfile --hosts n1,n2,n3,n4' 'rankfile --hosts n1,n2,n3,n4' rankfile 'srun --hosts n1,n2,n3,n4' srun; do
    hiersearch predict "$pair" --mesh a=4,b=2 --place --messages a:allreduce:3MiB,b:allreduce:2MiB -q --as $form
done
hiersearch predict "$cluster" --mesh a=8,b=8,c=8,d=8 --place --messages "$many" -q --as srun --hosts "$(seq -s, -f long-name-of-a-node-of-the-machine-%g 512)"
# What cannot be.
hiersearch predict "$node" --mesh dp=2,tp=4 --place
hiersearch predict "$node" --np 8 --place --messages "$messages"
hiersearch predict "$node" --mesh dp=2,tp=4 --messages "$messages"
hiersearch predict "$node" --mesh dp=2,tp=4 --place --messages dq:allreduce:1MiB
hiersearch predict "$node" --mesh dp=2,tp=4 --place --messages nowhere.txt
hiersearch predict "$node" --mesh dp=2,tp=4 --place --messages "$messages" --size 1MiB
hiersearch predict "$node" --mesh dp=2,tp=4 --place --messages "$messages" --as nccl-tests
hiersearch predict "$node" --mesh dp=2,tp=4 --place --messages "$messages" --as hostfile
hiersearch predict "$node" --mesh dp=2,tp=4 --place --messages "$messages" --as hostfile --hosts left
hiersearch predict "$node" --mesh dp=3,tp=2 --place --messages "$messages" --as srun
hiersearch predict "$node" --mesh dp=2,tp=4,ex=2 --place --messages "$messages" --as megatron
hiersearch predict "$node" --mesh dp=4,tp=4,ep=2 --place --messages "$messages,ep+dp:allreduce:1MiB" --as megatron
hiersearch predict "$node" --mesh ep=2,dp=4,tp=4 --place --messages "tp:allreduce:64MiB*9,ep:allreduce:64MiB,dp:allreduce:1MiB" --as megatron
hiersearch predict "$node" --mesh ep=2,tp=4,dp=2 --place --messages "ep:allreduce:64MiB*9,tp:allreduce:1MiB*9" --as megatron
hiersearch predict "$node" --mesh tp=4,cp=2,pp=2,dp=2 --place --messages "tp:allreduce:64MiB*9,cp:allreduce:32MiB,pp:allreduce:1KiB" --as megatron
hiersearch predict "$node" --mesh dp=2,tp=4 --place --messages "$messages" --as rankfile --hosts left
hiersearch predict "$node" --np 8 --as rankfile
# Names of hosts go into files of other programs: no options, commands or patterns of theirs.
for name in -oProxyCommand=x '$(touch' "a'b" =cmd '+n0' 'n[1-2]' 'node:4' "$(printf 'n\303\266de')"; do
    hiersearch predict "$node" --mesh dp=2,tp=4 --place --messages "$messages" --as rankfile --hosts "left,$name"
done
hiersearch predict "$node" --mesh dp=2,tp=4 --place --messages "$messages" --as rankfile --hosts left-1.example.org,Node_2 -q | head -2
# Behind a NUL nothing would be read: 160 calls would be 1.
printf 'tp:allreduce:1MiB\0*160\n' > nul.txt
hiersearch predict "$node" --mesh dp=2,tp=4 --place --messages ./nul.txt
printf 'left\0,right\n' > hosts.txt
hiersearch predict "$node" --mesh dp=2,tp=4 --place --messages "$messages" --as hostfile --hosts ./hosts.txt

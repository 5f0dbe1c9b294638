# Which axis goes inside a node: the verdict, orders and split axes, what each message takes, and as other programs take it.
node='node:4@100GB/s~1us,ib@12GB/s~3us'
messages='tp:allreduce:16MiB*32,dp:reduce-scatter:256MiB,dp:allgather:reversed:256MiB'
hiersearch place "$node" --mesh dp=16,tp=4 --messages "$messages" --compute 300ms
hiersearch place 'gpu:2@200GB/s~1us,node:4@50GB/s~2us,ib@12GB/s~5us' --mesh a=4,b=4,c=4 \
    --messages 'a:allreduce:64MiB,b:allreduce:48MiB,c:allreduce:1MiB' --top 3 --details
printf 'tp:allreduce:1MiB*8 # of the layers\n\ntp+dp:allreduce:8KiB\n' > job.txt
hiersearch place '8xH100, 8xNDR400, 32:2' --mesh tp=8,pp=2,dp=4 --messages ./job.txt
hiersearch place "$node" --mesh tp=4,dp=16 --messages "$messages" --format csv
hiersearch place "$node" --mesh tp=4,dp=16 --messages "$messages" --overlap | grep "A step"
hiersearch place flat@10GB/s~1us --mesh tp=4,dp=16 --messages "$messages" --overlap --compute 1s | grep "A step"
for form in device-mesh megatron torchtitan srun; do
    hiersearch place "$node" --mesh dp=16,tp=4 --messages "$messages" --format $form
done
hiersearch place "$node" --mesh dp=2,tp=4 --messages "$messages" --format rankfile -q
hiersearch place "$node" --mesh dp=2,tp=4 --messages "$messages" --format hostfile --hosts left,right
hiersearch place "$node" --mesh dp=2,tp=4 --messages "$messages" --format rankfile --hosts left,right
hiersearch place "$node" --mesh dp=4,pp=2,tp=4 --messages "$messages,pp:allreduce:1MiB" --format megatron -q
# Split axes, and the same in Python.
cluster='gpu:8@200GB/s~1us,node:16@50GB/s~2us,ib:32@12GB/s~5us,spine@40GB/s~9us;executor=host'
many='a:allreduce:64MiB*10,b:allgather:1MiB*100,c:reduce-scatter:256MiB,d:allreduce:1GiB'
hiersearch place "$cluster" --mesh a=8,b=8,c=8,d=8 --messages "$many" --details | sed -n 3,12p
hiersearch place "$cluster" --mesh a=8,b=8,c=8,d=8 --messages "$many" --format device-mesh | grep arange
# Split, and where nodes do not get ranks in turn, as launchers are told it.
pair='node:2@50GB/s~2us,pair:2@9GB/s~3us,ib@2GB/s~5us'
for form in 'hostfile --hosts n1,n2,n3,n4' 'rankfile --hosts n1,n2,n3,n4' rankfile 'srun --hosts n1,n2,n3,n4' srun; do
    hiersearch place "$pair" --mesh a=4,b=2 --messages a:allreduce:3MiB,b:allreduce:2MiB -q --format $form
done
hiersearch place "$cluster" --mesh a=8,b=8,c=8,d=8 --messages "$many" -q --format srun --hosts "$(seq -s, -f long-name-of-a-node-of-the-machine-%g 512)"
# From the sizes of a model: 2 AllReduces of 4096 x 8192 x 2 bytes a layer each way, 20 layers, 32 micro-batches; a pipeline both ways.
model=num-layers=80,hidden-size=8192,seq-length=4096,micro-batch-size=1,global-batch-size=512
hiersearch place '8xH100, 8xNDR400, 32:2' --mesh tp=8,pp=4,dp=16 --model $model --dtype bf16 --details
printf -- '--num-layers 80 --hidden-size 8192\n--seq-length 4096 --micro-batch-size 1 --global-batch-size 512 --parameters 70e9 --num-attention-heads 64 --num-query-groups 8\n' > model.txt
hiersearch place '8xH100, 8xNDR400, 32:2' --mesh dp=16,cp=2,tp=8,pp=2 --model model.txt --dtype bf16
for wrong in $model,num-layers=3 num-layer=3 num-layers=80 "$(echo $model | sed s/512/500/)" num-layers=x nowhere.txt; do
    hiersearch place "$node" --mesh tp=4,dp=16 --model "$wrong"
done
hiersearch place "$node" --mesh tp=4,ep=16 --model $model
# A command line of Megatron's, which says of the axes what the mesh has.
for size in 4 8; do
    hiersearch place "$node" --mesh tp=4,dp=16 --model "--bf16 --num-layers 80 --hidden-size 8192 --tensor-model-parallel-size $size --seq-length 4096 --micro-batch-size 1 --global-batch-size 512 --lr 1e-4" | sed -n 3p
done
# Of a config.json, what it does not say beside it: experts' tokens along ep, weights along fsdp for each micro-batch.
printf '{"hidden_act": "silu", "hidden_size": 4096, "intermediate_size": 14336, "num_attention_heads": 32, "num_experts_per_tok": 2, "num_hidden_layers": 32, "num_key_value_heads": 8, "num_local_experts": 8, "tie_word_embeddings": false, "vocab_size": 32000}\n' > config.json
batch=seq-length=4096,micro-batch-size=1,global-batch-size=512
hiersearch place '8xH100, 8xNDR400, 32:2' --mesh ep=8,fsdp=2,pp=4 --model config.json,$batch --dtype bf16 --details
hiersearch place '8xH100, 8xNDR400, 32:2' --mesh tp=2,ep=8,cp=2,dp=4 --model config.json,$batch,sequence-parallel,cp-comm-type=all_gather --dtype bf16 --format csv
hiersearch place '8xH100, 8xNDR400, 32:2' --mesh tp=2,ep=8,dp=4 --model config.json,$batch --dtype bf16
hiersearch place '8xH100, 8xNDR400, 32:2' --mesh tp=8,sp=4 --model config.json,$batch --dtype bf16
hiersearch place '8xH100, 8xNDR400, 32:2' --mesh tp=8,dp=4 --model config.json --dtype bf16
hiersearch place '8xH100, 8xNDR400, 32:2' --mesh tp=8,dp=4 --model config.jsn,$batch --dtype bf16
# An order that gains too little is a tie, and one that gains on too few samples is none.
hiersearch place 'gpu:4@100GB/s~1us,ib@300GB/s~1us' --mesh a=4,b=4 --messages a:allreduce:64MiB,b:allreduce:72MiB,a+b:allreduce:1KiB
even='a:allreduce:64MiB,b:allreduce:128MiB,a+b:allreduce:1KiB'
hiersearch place 'gpu:4@100GB/s~1us,ib@340GB/s~1us' --mesh a=4,b=4 --messages $even
hiersearch place 'gpu:4@100GB/s~1us,ib@340GB/s~1us' --mesh a=4,b=4 --messages $even --format device-mesh
# In 14 lines of 80 columns, whatever the answer.
for system in '8xH100, 8xNDR400, 32:2' '8xH100, 8xNDR400' '4xA100-mesh, 4xSS11' '8xMI300X, 8xRoCE400, 32:2' 'gpu:4@100GB/s~1us,ib@340GB/s~1us'; do
    for mesh in dp=16,cp=2,tp=8,pp=2 tp=8,pp=4,dp=16 tp=4,dp=4,pp=2,cp=2 dp=64,tp=8; do
        hiersearch place "$system" --mesh $mesh --model model.txt --dtype bf16 --width 80 --compute 3s -q >page
        echo "$(grep -oE '^(Use|Keep|Cannot tell|Nothing fits)' page) $(awk 'END { print NR <= 14 ? "is short" : "has " NR " lines" }' page)"
    done
done
# As a document.
hiersearch place "$node" --mesh dp=16,tp=4 --messages tp:allreduce:16MiB*32,dp:allgather:256MiB --json
# What cannot be.
hiersearch place "$node" --mesh dp=2,tp=4
hiersearch place "$node" --messages "$messages"
hiersearch place "$node" --mesh dp=2,tp=4 --messages dq:allreduce:1MiB
hiersearch place "$node" --mesh dp=2,tp=4 --messages nowhere.txt
hiersearch place "$node" --mesh dp=2,tp=4 --messages "$messages" --size 1MiB
hiersearch place "$node" --mesh dp=2,tp=4 --messages "$messages" --format nccl-tests
hiersearch place "$node" --mesh dp=2,tp=4 --messages "$messages" --format hostfile
hiersearch place "$node" --mesh dp=2,tp=4 --messages "$messages" --format hostfile --hosts left
hiersearch place "$node" --mesh dp=3,tp=2 --messages "$messages" --format srun
hiersearch place "$node" --mesh dp=2,tp=4,ex=2 --messages "$messages" --format megatron
hiersearch place "$node" --mesh dp=4,tp=4,ep=2 --messages "$messages,ep+dp:allreduce:1MiB" --format megatron
hiersearch place "$node" --mesh ep=2,dp=4,tp=4 --messages "tp:allreduce:64MiB*9,ep:allreduce:64MiB,dp:allreduce:1MiB" --format megatron
hiersearch place "$node" --mesh ep=2,tp=4,dp=2 --messages "ep:allreduce:64MiB*9,tp:allreduce:1MiB*9" --format megatron
hiersearch place "$node" --mesh tp=4,cp=2,pp=2,dp=2 --messages "tp:allreduce:64MiB*9,cp:allreduce:32MiB,pp:allreduce:1KiB" --format megatron
hiersearch place "$node" --mesh dp=2,tp=4 --messages "$messages" --format rankfile --hosts left
hiersearch place "$node" --mesh dp=2,tp=4 --messages "$messages" --model num-layers=4
hiersearch place "$node" --mesh dp=2,pp=4 --messages pp:sendrecv:in-place:1MiB
hiersearch place "$node" --mesh dp=2,pp=4 --messages pp+dp:sendrecv:1MiB
# Names of hosts go into files of other programs: no options, commands or patterns of theirs.
for name in -oProxyCommand=x '$(touch' "a'b" =cmd '+n0' 'n[1-2]' 'node:4' "$(printf 'n\303\266de')"; do
    hiersearch place "$node" --mesh dp=2,tp=4 --messages "$messages" --format rankfile --hosts "left,$name"
done
hiersearch place "$node" --mesh dp=2,tp=4 --messages "$messages" --format rankfile --hosts left-1.example.org,Node_2 -q | head -2
# Behind a NUL nothing would be read: 160 calls would be 1.
printf 'tp:allreduce:1MiB\0*160\n' > nul.txt
hiersearch place "$node" --mesh dp=2,tp=4 --messages ./nul.txt
printf 'left\0,right\n' > hosts.txt
hiersearch place "$node" --mesh dp=2,tp=4 --messages "$messages" --format hostfile --hosts ./hosts.txt

# In how many shards a model is to lie: what each way communicates in a step, what a GPU holds, and what other programs call it.
hiersearch shard '8xH100, 8xNDR400, 32:2' --np 64 --parameters 7e9 --dtype bf16 --memory 40GB
hiersearch shard 'node:4@100GB/s~1us,ib@12GB/s~3us' --np 16 --parameters 350M --units 24
hiersearch shard abci --np 4 --parameters 1T --memory 16GB
hiersearch shard abci --np 16 --parameters 1B --format csv
# Of 64 bits all is of 64; in 16 bits Adam has a copy in 32; another optimizer keeps less, or nothing.
for more in '--dtype fp64' '--dtype fp32' '--dtype fp16' '--dtype bf16 --optimizer-bytes 6' '--optimizer-bytes 0'; do
    hiersearch shard abci --np 4 --parameters 1B $more --units 1 --details | grep -E 'bytes per parameter|^ +4 '
done
hiersearch shard abci --np 4 --parameters 1B --optimizer-bytes 12.5
hiersearch shard abci --np 4 --parameters 1B --optimizer-bytes 12 --size 1MiB
# A number of parameters that was not meant so is shown as it was typed.
hiersearch shard abci --np 4 --parameters 70 | sed -n 1p
# A GPU has the memory of its kind where nothing else is said; what fits is of that.
for system in dgx-h100 '8xA100-40, 8xHDR200' '8xB200, 8xNDR400, 32:2' '8xMI300X, 8xRoCE400, 32:2'; do
    hiersearch shard "$system" --np 64 --parameters 70B --dtype bf16 --details | sed -n '3,5p; /no /p'
done
hiersearch shard '8xA100, 8xHDR200, 32:2' --np 16 --parameters 700B --dtype bf16 | sed -n 3,5p
# In 14 lines of 80 columns, whatever the answer; as a document.
for system in '8xH100, 8xNDR400, 32:2' '8xH100, 8xNDR400' '4xA100-mesh, 4xSS11' '8xMI300X, 8xRoCE400, 32:2' 'gpu:4@100GB/s~1us,ib@340GB/s~1us'; do
    for size in 7e9 70e9 700e9; do
        hiersearch shard "$system" --np 128 --parameters $size --dtype bf16 --memory 60GB --width 80 -q >page
        echo "$(grep -oE '^(Use|Keep|Cannot tell|Nothing fits)' page) $(awk 'END { print NR <= 14 ? "is short" : "has " NR " lines" }' page)"
    done
done
hiersearch shard '4xA100-mesh, 4xSS11' --np 128 --parameters 7e9 --dtype bf16 --units 32
hiersearch shard node:4@100GB/s~1us,ib@12GB/s~3us --np 8 --parameters 350M --json
# Parameters and units of a model, of Megatron's options or a config.json, which need no batch.
hiersearch shard '8xH100, 8xNDR400, 32:2' --np 64 --model num-layers=96,hidden-size=12288,vocab-size=51200,seq-length=2048 --dtype bf16 --details
printf '{"hidden_act": "silu", "hidden_size": 4096, "intermediate_size": 14336, "num_attention_heads": 32, "num_hidden_layers": 32, "num_key_value_heads": 8, "tie_word_embeddings": false, "vocab_size": 128256}\n' > config.json
hiersearch shard '8xH100, 8xNDR400, 32:2' --np 64 --model ./config.json --dtype bf16 | sed -n 1p
hiersearch shard '8xH100, 8xNDR400, 32:2' --np 64 --model ./config.json --dtype bf16 --units 8 | sed -n 1p
# What cannot be.
hiersearch shard abci --np 16
hiersearch shard abci --np 16 --parameters 1B --model num-layers=2,hidden-size=8
hiersearch shard abci --np 16 --model num-layers=2
hiersearch shard abci --np 16 --model nowhere/config.json
hiersearch shard abci --np 16 --parameters 1X
hiersearch shard abci --np 4:16 --parameters 1B
hiersearch shard abci --np 16 --parameters 1B --size 1MiB

# In how many shards a model is to lie: what each way communicates in a step, what a GPU holds, and what other programs call it.
hiersearch predict '8xH100, 8xNDR400, 32:2' --np 64 --hsdp --parameters 7e9 --dtype bf16 --memory 40GB
hiersearch predict 'node:4@100GB/s~1us,ib@12GB/s~3us' --np 16 --hsdp --parameters 350M --units 24
hiersearch predict abci --np 4 --hsdp --parameters 1T --memory 16GB
hiersearch predict abci --np 16 --hsdp --parameters 1B --format csv
# Of 64 bits all is of 64; in 16 bits Adam has a copy in 32; another optimizer keeps less, or nothing.
for more in '--dtype fp64' '--dtype fp32' '--dtype fp16' '--dtype bf16 --optimizer-bytes 6' '--optimizer-bytes 0'; do
    hiersearch predict abci --np 4 --hsdp --parameters 1B $more --units 1 | grep -E 'a GPU holds [0-9]|^ +4 '
done
hiersearch predict abci --np 4 --hsdp --parameters 1B --optimizer-bytes 12.5
hiersearch predict abci --np 4 --optimizer-bytes 12 --size 1MiB
# A number of parameters that was not meant so is shown as it was typed.
hiersearch predict abci --np 4 --hsdp --parameters 70 | sed -n 1p
# A GPU has the memory of its kind where nothing else is said; what fits is of that.
for system in dgx-h100 '8xA100-40, 8xHDR200' '8xB200, 8xNDR400, 32:2' '8xMI300X, 8xRoCE400, 32:2'; do
    hiersearch predict "$system" --np 64 --hsdp --parameters 70B --dtype bf16 | sed -n '1,4p; /fits/p; /no /p'
done
hiersearch predict '8xA100, 8xHDR200, 32:2' --np 16 --hsdp --parameters 700B --dtype bf16 | sed -n 2p
# What cannot be.
hiersearch predict abci --np 16 --hsdp
hiersearch predict abci --np 16 --parameters 1B
hiersearch predict abci --np 16 --hsdp --parameters 1X
hiersearch predict abci --np 4:16 --hsdp --parameters 1B
hiersearch predict abci --np 16 --hsdp --parameters 1B --size 1MiB

hiersearch predict abci --np 128 --size 256KiB:2MiB --chunks 1,2

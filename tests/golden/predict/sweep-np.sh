hiersearch predict abci --np 4:128 --size 64MiB

hiersearch predict abci --np 1

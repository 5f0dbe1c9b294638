hiersearch predict abci --np 4096 --search containment --beam 1 --top 1 -q
hiersearch predict abci --np 4096 --search containment --widen --top 1 -q
hiersearch predict abci --np 256:1024 --search containment --beam 1 -q

# Three matrices; in a narrow terminal their columns are folded.
hiersearch predict abci --np 4:32 --size 64KiB:1MiB
COLUMNS=50 hiersearch predict abci --np 4:32 --size 64KiB:1MiB | sed -n '1,14p'

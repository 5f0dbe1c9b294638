# `best` is the first of the table, and prime counts have one split only.
hiersearch predict abci --np 8 --explain best | sed -n '2p'
hiersearch predict abci --np 7 --explain best
hiersearch predict abci --np 1 --explain best

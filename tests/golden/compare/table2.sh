# The published table against the plain model: 17.2 %, 31.2 %, tau 0.49, and the wrong winner.
hiersearch compare "$SRC/tests/answer/data/table2.json" --predict abci --plans all

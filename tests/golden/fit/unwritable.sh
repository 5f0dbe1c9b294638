hiersearch fit abci "$SRC/tests/golden/fit/4x8x4.json" -o no/such/folder.json

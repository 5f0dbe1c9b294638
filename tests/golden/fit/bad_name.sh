hiersearch fit abci "$SRC/tests/golden/fit/4x8x4.json" "$SRC/tests/golden/fit/8x4x2x2.json" --name 'My System'

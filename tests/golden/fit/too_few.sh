# one flat ring, measured once: one point
sed 's/"best": "4x8x4"/"best": "128"/; s/"plan": "4x8x4"/"plan": "128"/' "$SRC/tests/golden/fit/4x8x4.json" |
    tr -d '\n ' | sed 's/"reduce_scatter":\[[^]]*\]/"reduce_scatter":[0.02]/; s/"allgather":\[[^]]*\]/"allgather":[]/' > flat.json
hiersearch fit abci flat.json

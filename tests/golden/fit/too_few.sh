# one flat ring, measured once: one point
sed 's/"best": "4x8x4"/"best": "128"/; s/"plan": "4x8x4"/"plan": "128"/' "$SRC/tests/golden/fit/4x8x4.json" |
    tr -d '\n ' | sed 's/"stages":\[[^]]*\]/"stages":[{"stage":"allreduce:1:128","seconds":0.02}]/' > flat.json
hiersearch fit abci flat.json

# Where the containment rule loses the optimum: by the model, and on times that were "measured".
# How much is the model's business (tests/answer/test_score.c checks it): figures read N here.
hiersearch predict summit --np 256 --size 16MiB --top 128 -q -o p256.json >p256.txt
sed 's/^ *"predicted_seconds": \([^,]*\),/"measured": {"status": "ok", "median_seconds": \1, "wrong_elements": 0},&/' \
    p256.json >m256.json
masked() { sed 's/takes [0-9.]* %/takes N %/; s/regret [1-9][0-9.]* %/regret N %/; s/keeps [0-9]*/keeps N/'; }
hiersearch compare m256.json --plans none | masked
echo "--- widened, 16 kept"
hiersearch compare m256.json --plans none --beam 16 --widen | masked

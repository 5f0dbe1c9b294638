# Fitted to the layers of 4x8x4 and 8x4x2x2, 4x8x2x2 (all of its layers are known, none from itself) is 17.31 ms in the paper.
hiersearch fit abci "$SRC/tests/golden/fit/4x8x4.json" "$SRC/tests/golden/fit/8x4x2x2.json" --name abci-fitted -o fitted.json || exit
hiersearch predict fitted.json --np 128 --size 128MiB --top 64 --json 2>/dev/null |
    python3 -c '
import json, sys
times = {c["plan"]: c["predicted_seconds"] for c in json.load(sys.stdin)["results"][0]["candidates"]}
error = times["4x8x2x2"] / 17.31e-3 - 1
print("within 5 %" if abs(error) < 0.05 else error)'

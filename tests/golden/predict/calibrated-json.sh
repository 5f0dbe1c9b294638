# Result files carry intervals, what priced each layer, and the fits without their points.
hiersearch predict "$SRC/tests/estimate/calibrated.json" --np 64 --size 16MiB --top 1 --json >result.json
cat >check.py <<'END'
import json
result = json.load(open("result.json"))
print(sorted(result["system"]["fits"]))
for candidate in result["results"][0]["candidates"]:
    low, high = candidate.get("predicted_ci95_seconds", (None, None))
    print(candidate["plan"], low, high, candidate["extrapolated"],
          [(layer["fit"], layer["extrapolated"]) for layer in candidate["layers"]])
END
python3 check.py
hiersearch predict "$SRC/tests/estimate/calibrated.json" --np 16 --size 16MiB --top 3 --json >result.json
python3 check.py

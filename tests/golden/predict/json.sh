# The result file on stdout: what predict fills in, layer times adding up, candidates best first, flat among them.
hiersearch predict abci --np 128 --size 1MiB:4MiB --top 3 --json >result.json
cat >check.py <<'END'
import json, re
result = json.load(open("result.json"))
print(result["format"], result["np"], result["system"]["name"], result["extrapolated"], result["complete"])
print(result["command"])
print("created", bool(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", result["created"])))
print("version", result["versions"]["hiersearch"] == open(__import__("os").environ["SRC"] + "/VERSION").read().strip())
for message in result["results"]:
    candidates = message["candidates"]
    times = [c["predicted_seconds"] for c in candidates]
    sums = [sum(layer["seconds"] for layer in c["layers"]) for c in candidates]
    print(message["message_bytes"], message["dtype"], message["op"], message["search"]["strategy"],
          message["search"]["splits"], [c["plan"] for c in candidates], message["best"] == candidates[0]["plan"],
          times == sorted(times), times[-1] == message["flat_seconds"],
          all(abs(a - b) <= 1e-12 * a for a, b in zip(times, sums)))
END
python3 check.py

# Times of 0, which a coarse clock can say: nothing is infinitely fast.
python3 - "$SRC/tests/record/good/lazy.json" <<'END'
import json, sys
result = json.load(open(sys.argv[1]))
message = result["results"][0]
for name, row in ("best", message["candidates"][0]), ("library", message["baselines"][0]):
    times = row["measured"]
    kept = json.dumps(times)
    times["median_seconds"] = 0
    times.pop("ci95_seconds", None)
    for stage in times.get("stages", []):
        stage["seconds"] = 0
    json.dump(result, open(name + ".json", "w"))
    row["measured"] = json.loads(kept)
END
for name in best library; do
    hiersearch report $name.json -q -o $name.html
    hiersearch plot $name.json --kind bandwidth --csv >$name.csv
    hiersearch check $name.json --details >$name.txt
    grep -cE '[^a-z]inf(x|[^a-z])' $name.html $name.csv $name.txt
done
true

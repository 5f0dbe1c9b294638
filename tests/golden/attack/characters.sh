# Letters that a terminal obeys (C0, C1), that turn the direction of text, and that end a CDATA section, in every text of a
# result: none comes out of a table, an export, a page or a plot, and JSON has them escaped.
here=node:4@300GB/s~3us,net@25GB/s~5us
hiersearch predict $here --np 4 -q -o r.json >/dev/null
"${PYTHON3:-/usr/bin/python3}" - <<'END'
import json
bad = "]]>\x1b[2J\x7f\u009b31m\u061c\u200e\u2028\u202e\u2066."
result = json.load(open("r.json"))
result["command"] = "c" + bad
result["note"] = "n" + bad
result["complete"] = False
result["system"]["title"] = "t" + bad
result["system"]["notes"] = "s" + bad
result["versions"] = {"hiersearch": "v" + bad}
json.dump(result, open("bad.json", "w"))
json.dump(result["system"], open("system.json", "w"))
END
for to in $(hiersearch export --list --format csv | tail -n +2 | cut -d , -f 1); do
    hiersearch export bad.json --to "$to" -o "folder-$to/" 2>&1 || hiersearch export bad.json --to "$to"
done >exports 2>&1
find folder*/ -type f ! -name '*.et' -exec cat {} + >>exports 2>/dev/null # .et: binary
for as in scaling layers bandwidth accuracy system; do hiersearch plot bad.json --kind $as --csv; done >plots 2>&1
hiersearch report bad.json -o page.html >report 2>&1
hiersearch predict ./system.json --np 4 -o again.json >predict 2>&1
hiersearch systems ./system.json >systems 2>&1
hiersearch check ./system.json bad.json --details >check 2>&1
"${PYTHON3:-/usr/bin/python3}" - <<'END'
import glob, unicodedata
for name in "exports", "plots", "page.html", "report", "predict", "again.json", "systems", "check":
    text = open(name, encoding="utf-8").read()
    bad = sorted({f"U+{ord(c):04X}" for c in text if c not in "\n\t" and unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp")})
    print(name, "is empty" if not text else " ".join(bad) or "clean")
END

# A plot is well-formed XML whatever the machine is called, and says what it is called; gnuplot has nothing to complain of
# in a locale without UTF-8.
command -v gnuplot >/dev/null || { echo True; exit 0; } # nothing to look at
hiersearch predict node:4@300GB/s~3us,net@25GB/s~5us --np 4 -q -o r.json >/dev/null
"${PYTHON3:-/usr/bin/python3}" -c 'import json
result = json.load(open("r.json"))
result["system"]["title"] = "a ]]> b &<c>"
json.dump(result, open("bad.json", "w"))'
hiersearch plot bad.json --kind layers -o plot.svg
"${PYTHON3:-/usr/bin/python3}" -c 'import sys, xml.dom.minidom as x
text = "".join(e.firstChild.data for e in x.parse("plot.svg").getElementsByTagName("text") if e.firstChild)
print("a ]]> b &<c>" in text)'

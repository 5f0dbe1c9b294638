# A level of single links: link by link, for programs, as a line of text that cannot say them, and what is none.
hiersearch systems ac922-4gpu | sed -n '/^level/,/^$/p'
hiersearch systems ac922-4gpu | grep '^links of'
hiersearch systems mi250x | grep '^links of'
hiersearch systems mi250-16 | grep '^links of'
hiersearch systems ac922-4gpu --format csv | sed -n '/^level,from/,$p' | sed -n 1,3p
hiersearch systems ac922-4gpu --text 2>&1
hiersearch systems ac922-4gpu --json >one.json
hiersearch systems ./one.json --json | cmp - one.json && echo same
# Wrong ones are refused with the file, the level and the link.
try() {
    python3 -c 'import json, sys
system = json.load(open("one.json"))
level, links = system["levels"][0], system["levels"][0]["links"]
exec(sys.argv[1])
json.dump(system, open("bad.json", "w"))' "$1"
    echo "\$ $1"
    hiersearch systems ./bad.json 2>&1 | sed -n 1,1p
}
try 'links[2]["between"] = [0, 6]'
try 'links[2]["between"] = [0, 0]'
try 'links[2]["between"] = [0, 1, 2]'
try 'links[1]["count"] = 0'
try 'links[1]["count"] = 257'
try 'links[6]["one_way"] = True'
try 'del links[6]'
try 'del links[2:4]'
try 'level["links"] = links[:2]; level["relays"] = 0'
try 'level["relays"] = 3'
try 'level["arity"] = 65'
try 'level["bandwidth_GBps"] = 20'
try 'level["fabric"] = "mesh"'
try 'links[3]["speed"] = 1'
try 'del links[3]["bandwidth_GBps"]'
# Nodes in the words of their parts are the shipped ones, link by link; and what is none.
same() {
    hiersearch systems "$1" --json >line.json
    hiersearch systems "$2" --json >shipped.json
    python3 -c 'import json
def node(path):
    level = json.load(open(path))["levels"][0]
    rows = [(*sorted(link["between"]), link.get("count", 1), link["bandwidth_GBps"], round(link.get("latency_us", level["latency_us"]), 9))
            for link in level["links"]]
    return level["name"], level["arity"], level.get("relays", 0), level["latency_us"], sorted(rows)
print("same links" if node("line.json") == node("shipped.json") else "other links")' | sed "s|^|$1 and $2: |"
}
same '8xP100-cube, 4xEDR100' dgx1-p100
same '8xV100-cube, 4xEDR100' dgx1-v100
same '4xV100-power9' ac922-4gpu
same '6xV100-power9' ac922-6gpu
same '8xMI250X, 4xSS11' mi250x
same 16xMI250X mi250-16
same 8xA100-bridged a100-pcie-bridged
same 8xA6000-bridged a6000-bridged
hiersearch systems 2xA100-bridged | sed -n '/between/,$p'
hiersearch predict '8xV100-cube' --gpus 0,1,4,6 -q | sed -n 1,1p
for line in 4xV100-cube 8xA100-cube 8xV100-power9 7xA100-bridged 8xL40S-bridged; do
    hiersearch systems $line 2>&1
done
try 'del links[:], level["relays"], level["links"]; level.update(fabric="switch", bandwidth_GBps=100); system["parts"] = "4xV100-power9"'

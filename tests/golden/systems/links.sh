# A level of single links: link by link, for programs, as a line of text that cannot say them, and what is none.
hiersearch systems ac922-4gpu | sed -n '/^level/,/^$/p'
hiersearch systems ac922-4gpu | grep '^links of'
hiersearch systems mi250x | grep '^links of'
hiersearch systems mi250-16 | grep '^links of'
hiersearch systems ac922-4gpu --format csv | sed -n '/^level,from/,$p' | head -n 3
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
    hiersearch systems ./bad.json 2>&1 | head -n 1
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

#!/bin/bash
# Every kind of plot as SVG, PDF and PNG from gnuplot, without a complaint, and the report as a page that
# stands alone. Prints TAP.
set -u
here=$(cd "$(dirname "$0")" && pwd)
program=$(realpath "${BUILD:-$here/../../build}/hiersearch")
python=${PYTHON3:-/usr/bin/python3}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1

if ! command -v gnuplot >/dev/null; then
    echo "1..0 # SKIP gnuplot is not installed"
    exit 0
fi
# shellcheck source=tests/tap.sh
. "$here/../tap.sh"
# check SENTENCE COMMAND...: passes if the command succeeds and says nothing.
check() {
    "${@:2}" >out 2>&1 && [ ! -s out ]
    say $? "$1" out
}

for np in 4 8 128; do
    "$program" predict abci --np $np --size 1MiB:8MiB --top 9 -q -o abci-$np.json >/dev/null
done
"$program" predict abci --np 720 -q --chunks 1,4 -o one-size.json >/dev/null
"$program" predict summit --np 1 -q -o one.json >/dev/null
"$program" predict summit --np 7 -q -o prime.json >/dev/null
for np in 16 64; do
    "$program" predict "$here/../estimate/calibrated.json" --np $np --size 1MiB:64MiB -q -o calibrated-$np.json >/dev/null
done
train=$here/../golden/profile/train.json
"$program" predict '8xH100, 8xNDR400' --np 16 --size 64MiB:1GiB -q -o h100.json >/dev/null
"$program" check '8xH100, 8xNDR400' "$here/../record/logs/nodes.txt" --json >checked.json
# The same results as if they had been measured, with names that mean harm; without a machine; and plain. A profile, too.
"$python" - "$train" <<'END'
import json
import sys

EVIL = "</title><script>alert(1)</script>\"'&`id`$(id)_^{}@\\ %s \u0007\u00e9"


def measure(name, new, evil, machine):
    with open(name) as file:
        result = json.load(file)
    result["backend"] = "host"
    result["placement"] = {"nodes": [{"host": evil or "a", "ranks": result["np"]}]}
    for message in result["results"]:
        message["candidates"] = [candidate for candidate in message["candidates"] if "layers" in candidate]
        for i, candidate in enumerate(message["candidates"]):
            seconds = candidate["predicted_seconds"] * (1.1 + 0.01 * i)
            layers = [(f"{layer['stride']}:{layer['size']}", layer["seconds"] / 2) for layer in candidate["layers"]]
            stages = ([("reduce-scatter:" + key, time) for key, time in layers[:-1]]
                      + [("allreduce:" + layers[-1][0], 2 * layers[-1][1])]
                      + [("allgather:" + key, time) for key, time in reversed(layers[:-1])])
            candidate["measured"] = {
                "status": "ok", "median_seconds": seconds, "wrong_elements": 0, "samples_seconds": [seconds] * 6,
                "ci95_seconds": [seconds * 0.95, seconds * 1.05],
                "stages": [{"stage": key, "seconds": time} for key, time in stages]}
            if not machine:
                for key in [key for key in candidate if key == "layers" or key.startswith("predicted_")]:
                    del candidate[key]
        message["candidates"].sort(key=lambda c: c["measured"]["median_seconds"])
        message["best"] = message["candidates"][0]["plan"]
        message["baselines"] = [{"name": evil or "MPI_Allreduce", "measured": {
            "status": "ok", "median_seconds": seconds * 2, "wrong_elements": 0, "samples_seconds": [seconds * 2]}}]
        if evil:
            message["search"]["pruned"] = [{"rule": evil, "splits": 3}]
            message["candidates"][0]["measured"]["reason"] = evil
    if evil:
        for key in ("title", "source", "notes"):
            result["system"][key] = evil
        result.update(command=evil, note=evil, complete=False)
        result["versions"] = {"hiersearch": evil, evil: evil}
    if not machine:
        del result["system"]
    with open(new, "w") as file:
        json.dump(result, file)


measure("abci-128.json", "evil.json", EVIL, True)
with open(sys.argv[1]) as file:
    profile = json.load(file)
profile.update(command=EVIL, library=EVIL, created=EVIL)
profile["calls"][0]["call"] = EVIL
with open("evil-job.json", "w") as file:
    json.dump(profile, file)
with open("checked.json") as file:
    checked = json.load(file)
checked.update(machine=EVIL, reason=EVIL, where=EVIL, next=EVIL)
with open("evil-checked.json", "w") as file:
    json.dump(checked, file)
measure("h100.json", "h100-measured.json", None, True)
measure("abci-128.json", "measured.json", None, True)
measure("abci-8.json", "no-machine.json", None, False)
measure("calibrated-16.json", "calibrated-measured.json", None, True)
END

draws() {
    local kind=$1 type=$2 magic=$3
    shift 3
    "$program" plot "$@" --kind "$kind" -o "$kind.$type" &&
        [ "$(head -c "${#magic}" "$kind.$type")" = "$magic" ]
}
# The kinds as --kind has them, so that a new one is drawn here without further ado.
kinds=$("$program" plot --help all | tr -s ' \n' ' ' | sed -n 's/.* what to show: \([a-z, ]*\) -s, .*/\1/p' | tr -d ,)
explained() {
    local kind
    for kind in $kinds; do "$program" plot --help all | tr -s ' \n' ' ' | grep -qF "$kind (" || echo "$kind"; done
    [ "$(wc -w <<<"$kinds")" -ge 7 ]
}
check "--help explains every kind" explained
# https://reproducible-builds.org/specs/source-date-epoch: 2001-09-09 01:46:40, whatever the clock says.
dated() {
    local type
    for type in pdf svg png; do SOURCE_DATE_EPOCH=1000000000 "$program" plot measured.json --kind layers -q -o "dated.$type" || return 1; done
    grep -aqF '/CreationDate (D:20010909014640' dated.pdf && grep -aq '^%%EOF' dated.pdf
}
check "a plot has the date that SOURCE_DATE_EPOCH says" dated
for kind in $kinds; do
    inputs=(measured.json) evil=evil.json
    case $kind in
        scaling) inputs=(abci-4.json measured.json no-machine.json) ;;
        calls) inputs=("$train") evil=evil-job.json ;;
        check) inputs=(checked.json) evil=evil-checked.json ;;
    esac
    check "$kind as SVG" draws "$kind" svg '<?xml version="1.0"' "${inputs[@]}"
    check "$kind as PDF" draws "$kind" pdf '%PDF-1' "${inputs[@]}"
    check "$kind as PNG" draws "$kind" png $'\x89PNG' "${inputs[@]}"
    check "$kind with names that mean harm is well-formed and has no script" "$python" - "$program" "$kind" "$evil" <<'END'
import subprocess
import sys
import xml.etree.ElementTree as tree

done = subprocess.run([sys.argv[1], "plot", sys.argv[3], "--kind", sys.argv[2], "-q", "-o", "evil.svg"], check=True)
root = tree.parse("evil.svg").getroot()
names = {element.tag.split("}")[1] for element in root.iter()}
assert "script" not in names, names
assert any("script" in (element.text or "") for element in root.iter()), "the name is not shown at all"
END
    [ "$kind" = calls ] || [ "$kind" = check ] && continue
    [ "$kind" = accuracy ] || check "$kind of a prediction" draws "$kind" svg '<?xml' abci-128.json
    [ "$kind" = accuracy ] || check "$kind of one size, with chunks" draws "$kind" svg '<?xml' one-size.json
done
for kind in scaling layers bandwidth gain; do
    check "$kind without a machine" draws "$kind" svg '<?xml' no-machine.json
done
for kind in scaling layers bandwidth gain system; do
    check "$kind of a prime number of processes" draws "$kind" svg '<?xml' prime.json
done
for kind in scaling layers bandwidth gain system; do
    check "$kind of a calibrated machine" draws "$kind" svg '<?xml' calibrated-16.json
    check "$kind of a calibrated machine where a level was never measured" draws "$kind" svg '<?xml' calibrated-64.json
done
for kind in layers bandwidth accuracy; do
    check "$kind of a calibrated machine that was measured" draws "$kind" svg '<?xml' calibrated-measured.json
done
check "calls of NCCL, whose times are not known" draws calls svg '<?xml' "$here/../golden/profile/nccl.json"
"$program" predict dgx1-v100 --np 8 -q -o graph.json >/dev/null
check "system of single links" draws system svg '<?xml' graph.json
check "system of one process" draws system svg '<?xml' one.json
# A default call that takes twice as long as the slowest plan, on a machine that the result knows.
sed -i 's/MPI_Allreduce/ncclAllReduce/g; s/"backend": "host"/"backend": "nccl"/
    s/{"host": "a", "ranks": 16}/{"host": "a", "ranks": 8}, {"host": "b", "ranks": 8}/' h100-measured.json
low() { "$program" report h100-measured.json -q -o low.html && grep -q 'Check: low: allreduce of' low.html && grep -q 'id="plot-check"' low.html; }
check "a report says whether the default call is low, with a picture" low
same() { draws layers svg '<?xml' measured.json && cp layers.svg a.svg && draws layers svg '<?xml' measured.json && cmp layers.svg a.svg; }
check "the same result gives the same picture" same

# Where gnuplot puts its texts in SVG: x, y of the start, middle or end.
cat > texts.py <<'END'
import re
import xml.etree.ElementTree as tree


def texts(name):
    """(text, x, y, anchor) of each text that is not turned, in the order of the file."""
    for group in tree.parse(name).getroot().iter("{http://www.w3.org/2000/svg}g"):
        place = re.fullmatch(r"translate\(([\d.]+),([\d.]+)\)", group.get("transform", ""))
        words = group.findall("{http://www.w3.org/2000/svg}text")
        if place and words:
            yield "".join(words[0].itertext()).strip(), float(place[1]), float(place[2]), group.get("text-anchor")
END
apart() {
    local file
    for file in no-machine-sizes calibrated-64; do
        "$program" plot $file.json --kind bandwidth -q -o apart.svg && "$python" - <<'END' || return
from texts import texts

all_texts = list(texts("apart.svg"))
axis = [y for text, _, y, _ in all_texts if text.startswith(("message size", "bytes that enter"))]
caption = [y for text, _, y, _ in all_texts if "machine: " in text or text.startswith("*")]
assert axis and caption and max(axis) + 13 <= min(caption), (axis, caption)
ticks = [(x, y, text) for text, x, y, _ in all_texts if text.endswith("iB")]
for (x, y, text), (next_x, next_y, _) in zip(ticks, ticks[1:]):
    assert next_y != y or next_x - x >= 8 * len(text) + 6, (x, next_x, text)
END
    done
}
"$python" - <<'END'
import json

result = json.load(open("no-machine.json"))
message = result["results"][-1]
result["results"] = [dict(message, message_bytes=2 ** i) for i in range(20, 31)]
json.dump(result, open("no-machine-sizes.json", "w"))
END
check "bandwidth has its caption below the axis, and its ticks apart" apart
overlapping() {
    "$program" plot one-size.json --kind layers -q --csv | grep -q ",whole [0-9.]* ms$" &&
        "$program" plot abci-128.json --kind layers -q --csv | sed -n '/^# totals/,/^$/p' | { ! grep whole; }
}
check "layers says which time stands behind bars that overlap" overlapping
long_names() {
    "$program" predict abci --np 4096 --size 16KiB -q -o long.json >long.txt && "$program" plot long.json --kind layers -q -o long.svg &&
        "$python" -c '
from texts import texts
for text, x, _, anchor in texts("long.svg"):
    assert anchor != "end" or x - 8 * len(text) >= 0, (text, x)
assert any(anchor == "end" and len(text) >= 23 for text, _, _, anchor in texts("long.svg"))'
}
check "layers has room for long plans" long_names

# page FILE.html INPUT...: a report that is well-formed, stands alone and has headings in order.
page() {
    local file=$1
    shift
    "$program" report "$@" -q -o "$file" && "$python" - "$file" <<'END'
import html.parser
import re
import sys
import xml.etree.ElementTree as tree

VOID = {"meta"}
text = open(sys.argv[1], encoding="utf-8").read()
root = tree.fromstring(text.replace("<!DOCTYPE html>", ""))
assert "script" not in {element.tag for element in root.iter()}
ids = [element.get("id") for element in root.iter() if element.get("id")]
assert len(ids) == len(set(ids)), "ids are there twice"
for element in root.iter():
    for key, value in element.attrib.items():
        assert not key.lower().startswith("on"), key
        if key in ("href", "src") or key.endswith("}href"):
            assert value.startswith("#") and value[1:] in ids, value
    for ref in re.findall(r"url\(([^)]*)\)", " ".join(element.attrib.values())):
        assert ref.startswith("#") and ref[1:] in ids, ref
style = root.find("head/style").text
assert "url(" not in style and "@import" not in style
assert root.find("head/meta[@name='viewport']") is not None


class Checker(html.parser.HTMLParser):
    """Every element is closed in its turn; headings do not skip a level."""
    open, level = [], 0

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        if re.fullmatch("h[1-6]", tag):
            assert int(tag[1]) <= self.level + 1, tag
            self.level = int(tag[1])

    def handle_startendtag(self, tag, attrs):
        pass

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag


checker = Checker()
checker.feed(text)
checker.close()
assert not checker.open
END
}
check "the report of a measurement" page measured.html measured.json
"$python" -c '
import json, sys
result = json.load(open("measured.json"))
for message in result["results"]:
    library = message["baselines"][0]["measured"]
    library["median_seconds"] /= 100
json.dump(result, sys.stdout)' >library.json
check "the report where the library is faster" page library.html library.json
check "the report of several results" page several.html measured.json abci-4.json abci-8.json
check "the report of a prediction" page predicted.html abci-128.json
check "the report without a machine" page no-machine.html no-machine.json
check "the report of a calibrated machine" page calibrated.html calibrated-measured.json calibrated-64.json
check "the report of one process" page one.html one.json
check "the report with names that mean harm" page evil.html evil.json
check "the report of a job" page job.html "$train"
check "the report of a job with names that mean harm" page evil-job.html evil-job.json
check "the report of a job of NCCL" page nccl.html "$here/../golden/profile/nccl.json"
has() { [ "$(grep -o "$2" "$1" | wc -l)" -ge "$3" ] || grep -c "$2" "$1"; }
check "its pictures are in it" has several.html '<svg ' 5
check "that of a job has its picture, and its calls by call, group and size" has job.html '<svg \|<caption>\(By call\|By group\|By size\|Those that\)' 5
check "with what ranks spend and wait in all calls of a group" eval 'tr -d "\n" <job.html | has /dev/stdin "8 x 8, 8 apart</td><td[^>]*>80</td><td[^>]*>5GiB</td><td[^>]*>3.750 s</td><td[^>]*>6.2</td><td[^>]*>312.5 ms" 1'
check "it says the gain over the library" has measured.html 'against MPI_Allreduce' 1
check "it says that a prediction is not measured" has predicted.html 'Predicted by a model, not measured' 1
check "it says that a run was cut short" has evil.html 'The run was cut short' 1
check "it says that the library is better where it is" has library.html '<h1>Keep the default: MPI_Allreduce is faster' 1
# Twelve plans, each 1 % slower than the one before, known to 5 %; the certificate is of a run that was told apart.
"$python" -c '
import json, sys
result = json.load(open("measured.json"))
for message in result["results"]:
    for measured in [c["measured"] for c in message["candidates"]] + [b["measured"] for b in message["baselines"]]:
        measured.update(samples_seconds=[measured["median_seconds"]] * 6, ci95_seconds=[measured["median_seconds"]] * 2)
    message["certificate"] = {"winner": message["best"], "seconds": 1, "ci95_seconds": [0.9, 1.1], "again": True, "certain": True,
                              "layers_measured": 3, "layers": 3, "layers_rough": 0, "layers_failed": 0, "within": 0, "ties": [], "more_ties": False}
json.dump(result, sys.stdout)' >certain.json
"$program" report certain.json -q -o certain.html
check "its title and first lines say that an answer is not certain" has measured.html 'processes: [0-9x]*, not certain</title>' 1
check "and why" has measured.html '^<p class="warning">Not certain: 1 sample only, within noise of ' 1
check "they do not where it is certain" eval '! grep -i "not certain" certain.html && grep -c "<h1>Use " certain.html >/dev/null'
rules() { sed -n '/<style>/,/<\/style>/p' measured.html | tr -d '\n' | grep -o "$1 {[^}]*}"; }
check "its pictures scroll in a narrow window, and stay as large as their words need" \
    eval 'rules "\.paper" | grep -q "overflow-x: auto" && rules "\.paper svg" | grep -q "min-width: [0-9.]*rem"'
check "its headings break there" eval '! rules th | grep nowrap'
check "it shows the export commands" has measured.html 'hiersearch export measured.json --to msccl' 1
finish

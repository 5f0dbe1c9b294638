# Machines as people show them (tests/detect/topologies says where): the system, and where the NICs are.
from() {
    echo "$*"
    (cd "$SRC/tests/detect/topologies" && hiersearch systems --from "$@" --json) >system.json || return
    sed -n 's/^ *"parts": /  parts /p; s/^ *"notes": /  notes /p' system.json
    sed -n 's/",$//; s/,$//; s/^      "\(name\|arity\|fabric\|relays\|bandwidth_GBps\|ports\)": "\?/ /p' system.json |
        paste -sd ' ' | sed 's/   */ /g'
    (cd "$SRC/tests/detect/topologies" && hiersearch systems --from "$@") | sed -n '/^NIC[0-9]* *[XPNS?]/p'
}
from dgx-a100.txt
from dgx-a100.xml
from a100-mesh.txt
from dgx-h100.txt
from dgx-h100.txt dgx-h100-ibstat.txt topology.conf
from dgx-h100.txt dgx-h100-ibstat.txt topology.yaml
from dgx-h100.xml
from gb200.txt
from gb200.txt gb200-ibstat.txt blocks.conf
from gb200-domain.xml
from mi300x.txt
from mi300x.xml topology.conf
from l40s.txt
from gh200.xml
from p4d.xml
from p5.xml
from p5.txt p5.xml | sed -n 1,4p
from hwloc.xml ibstatus.txt
from hwloc3.xml ibstatus.txt
from dgx1-v100.txt
from dgx1-p100.txt
from dgx1-v100.xml
from ac922.xml
from a6000-bridged.txt
from mi250x.xml
from mi100-hives.txt
# What joins the GPUs of a DGX-1 and of an AC922, by NCCL's XML, is what ships.
links() {
    python3 -c 'import json, sys
for link in sorted(json.load(sys.stdin)["levels"][0]["links"], key=lambda link: link["between"]):
    print(link)'
}
for pair in ac922-6gpu:ac922.xml dgx1-v100:dgx1-v100.xml; do
    hiersearch systems "${pair%:*}" --json | links >shipped
    hiersearch systems --from "$SRC/tests/detect/topologies/${pair#*:}" --json | links | cmp - shipped && wc -l <shipped
done
# Of the matrix the CPUs are not known: their link is another.
hiersearch systems --from "$SRC/tests/detect/topologies/dgx1-v100.txt" --json | links | diff - shipped

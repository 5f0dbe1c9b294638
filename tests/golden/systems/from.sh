# Machines as people show them (tests/machine/topologies says where): the system, and where the NICs are.
from() {
    echo "$*"
    (cd "$SRC/tests/machine/topologies" && hiersearch systems --from "$@" --json) >system.json || return
    sed -n 's/^ *"parts": /  parts /p; s/^ *"notes": /  notes /p' system.json
    sed -n 's/",$//; s/,$//; s/^      "\(name\|arity\|fabric\|bandwidth_GBps\|ports\)": "\?/ /p' system.json |
        paste -sd ' ' | sed 's/   */ /g'
    (cd "$SRC/tests/machine/topologies" && hiersearch systems --from "$@") | sed -n '/^NIC[0-9]* *[XPNS?]/p'
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
from p5.txt p5.xml | head -n 4
from hwloc.xml ibstatus.txt
from hwloc3.xml ibstatus.txt

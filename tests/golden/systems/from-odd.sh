# Files that are true and odd: what is down, cut, behind a prefix, out of range or not said at all.
T=$SRC/tests/detect/topologies
from() {
    hiersearch systems --from "$@" --json >system.json || return
    python3 -c 'import json
file = json.load(open("system.json"))
print(file.get("parts") or ", ".join("{name}:{arity}@{bandwidth_GBps}x{ports}".format(**{"bandwidth_GBps": "links", **level}) for level in file["levels"]))
for link in file["levels"][0].get("links", []):
    if max(link["between"]) < 4: print(" ", link["between"], link.get("count", 1), "of", link["bandwidth_GBps"])
for note in file.get("notes", "").split("; "):
    if note and not note.startswith(("No figure", "the nodes under", "what leads on")): print("  note:", note)'
}
head -n 14 "$T/dgx-h100.txt" >matrix.txt
ca() { printf "CA '%s'\n\tCA type: MT4129\n" "$1" && shift && while [ $# -gt 2 ]; do
    printf '\tPort %s:\n\t\tState: %s\n\t\tRate: %s\n\t\tLink layer: InfiniBand\n' "$1" "$2" "$3" && shift 3; done; }
echo "a port that is down, beside one that is active"
for n in 0 1 2 5 6 7 8 9; do ca mlx5_$n 1 Active 400 2 Down 10; done >ports.txt && from "$T/dgx-h100.txt" ports.txt
echo "the same, the other way round"
for n in 0 1 2 5 6 7 8 9; do ca mlx5_$n 1 Down 800 2 Active 400; done >ports.txt && from "$T/dgx-h100.txt" ports.txt
echo "two active ports of a card are two"
for n in 0 1 2 5 6 7 8 9; do ca mlx5_$n 1 Active 200 2 Active 200; done >ports.txt && from "$T/dgx-h100.txt" ports.txt
echo "what is said twice counts once"
cat ports.txt ports.txt >twice.txt && from "$T/dgx-h100.txt" twice.txt
echo "adapters without an active port"
{ for n in 0 1 2 5 6 7; do ca mlx5_$n 1 Active 400; done && ca mlx5_8 1 Initializing 400 && ca mlx5_9 1 Down 400; } >ports.txt &&
    from "$T/dgx-h100.txt" ports.txt
echo "ibv_devinfo, with a rate of each lane"
printf 'hca_id:\tmlx5_0\n\tvendor_part_id:\t4129\n\t\tport:\t1\n\t\t\tstate:\t\tPORT_ACTIVE (4)\n\t\t\tactive_width:\t4X (2)\n\t\t\tactive_speed:\t100.0 Gbps (128)\n\t\t\tlink_layer:\tInfiniBand\n\t\tport:\t2\n\t\t\tstate:\t\tPORT_DOWN (1)\n' >devinfo.txt &&
    from "$T/dgx-h100.txt" devinfo.txt
echo "ibstatus, one of two down"
printf "Infiniband device 'mlx5_%s' port 1 status:\n\tstate:\t\t %s\n\trate:\t\t 400 Gb/sec (4X NDR)\n\tlink_layer:\t InfiniBand\n\n" 0 '4: ACTIVE' 1 '1: DOWN' >ibstatus.txt && from "$T/dgx-h100.txt" ibstatus.txt

pairs() { printf '\tGPU0\tGPU1\tGPU2\tGPU3\tCPU Affinity\nGPU0\t X \tNV12\tSYS\tSYS\t0-7\nGPU1\tNV12\t X \tSYS\tSYS\t0-7\nGPU2\tSYS\tSYS\t X \tNV12\t8-15\nGPU3\tSYS\tSYS\tNV12\t X \t8-15\n'; }
echo "a matrix of pairs" && pairs >pairs.txt && from pairs.txt
hiersearch systems --from pairs.txt --json | grep -v '"source"\|pairs.txt' >plain
alike() { hiersearch systems --from "$1" --json | grep -v '"source"\|txt' | cmp -s - plain && echo "  the same" || from "$1"; }
grep -v '"source"\|txt' plain >other && mv other plain
echo "behind a host" && sed 's/^/n17: /' pairs.txt >host.txt && alike host.txt
echo "behind a rank" && sed 's/^/[1,0]<stdout>:/' pairs.txt >rank.txt && alike rank.txt
echo "behind a time" && sed 's/^/2026-01-31T12:00:00.5Z stdout F /' pairs.txt >time.txt && alike time.txt
echo "behind a container's name" && sed 's/^/web-1  | /' pairs.txt >compose.txt && alike compose.txt
echo "between bars" && { sed 's/CPU Affinity/CPU/; s/\t/ | /g; s/^/| /; s/$/ |/' pairs.txt | sed '1a |---|---|---|---|---|---|'; } >bars.txt && alike bars.txt
echo "in UTF-16" && iconv -f utf-8 -t utf-16 pairs.txt >utf16.txt && alike utf16.txt
echo "of two hosts" && { sed 's/^/n17: /' pairs.txt && sed 's/^/n18: /' pairs.txt; } >hosts.txt && from hosts.txt

named() { for n in $(seq 0 "$2"); do echo "GPU $n: $1"; done; }
echo "boards by their names"
for name in 'NVIDIA GeForce RTX 5090' 'NVIDIA GeForce RTX 4090' 'NVIDIA RTX 6000 Ada Generation' 'NVIDIA RTX PRO 6000 Blackwell Server Edition' \
    'NVIDIA L4' 'Tesla T4' 'NVIDIA A10G' 'Tesla V100-PCIE-16GB' 'NVIDIA A100-PCIE-40GB' 'NVIDIA H100 NVL'; do named "$name" 3 >names.txt && from names.txt; done
echo "modules without links" && named 'NVIDIA A100-SXM4-80GB' 7 >names.txt && from names.txt
named 'Tesla V100-SXM2-16GB' 7 >names.txt && from names.txt
echo "a board that nobody knows" && named 'NVIDIA Z9000' 3 >names.txt && from names.txt
echo "a display's GPU" && { named 'NVIDIA A100-SXM4-80GB' 1 && echo 'GPU 2: NVIDIA DGX Display' &&
    printf '\tGPU0\tGPU1\tGPU2\nGPU0\tX\tNV12\tSYS\nGPU1\tNV12\tX\tSYS\nGPU2\tSYS\tSYS\tX\n'; } >display.txt && from display.txt
echo "MIG" && { named 'NVIDIA A100-SXM4-80GB' 1 && echo '  MIG 3g.40gb     Device  0: (UUID: MIG-0)'; } >mig.txt && from mig.txt

amd() { echo "$1 TABLE:" && printf '             0000:0c:00.0 0000:22:00.0\n0000:0c:00.0 %s %s\n0000:22:00.0 %s %s\n\n' "$2" "$3" "$3" "$2"; }
echo "amd-smi topology" && { amd ACCESS ENABLED ENABLED && amd WEIGHT 0 15 && amd HOPS 0 1 && amd 'LINK TYPE' SELF XGMI && amd 'NUMA BW' N/A 50000-50000; } >amd.txt &&
    from amd.txt
{ cat amd.txt && printf 'GPU: 0\n    ASIC:\n        MARKET_NAME: AMD Instinct MI100\n'; } >amd-named.txt && from amd-named.txt
rocm() { for n in $(seq 0 7); do echo "GPU[$n] : Card Series: $1"; done && echo '= Link Type between two GPUs =' &&
    seq -f GPU%g 0 7 | paste -sd ' ' && for n in $(seq 0 7); do echo "GPU$n XGMI XGMI XGMI XGMI XGMI XGMI XGMI XGMI"; done; }
echo "types without weights, of dies" && rocm 'AMD Instinct MI250X' >dies.txt && from dies.txt
echo "and of a mesh" && rocm 'AMD Instinct MI300X' >mesh.txt && from mesh.txt

gpu() { printf '<pci busid="0000:%s0:00.0" class="0x030200" vendor="0x10de" device="%s" link_speed="16.0 GT/s PCIe" link_width="16"><gpu dev="0" sm="80" rank="0">%s</gpu></pci>' "$1" "$2" "$3"; }
nic() { printf '<pci busid="0000:e0:00.0" class="0x020700"><nic><net name="mlx5_0" speed="%s"/></nic></pci>' "$1"; }
xml() { printf '<system version="1"><cpu numaid="0" arch="x86_64" vendor="AuthenticAMD">%s</cpu></system>' "$1"; }
echo "links to itself" && xml "$(gpu 1 0x20b5 '<nvlink target="0000:10:00.0" count="12"/>')$(gpu 2 0x20b5 '<nvlink target="0000:20:00.0" count="12"/>')" >self.xml && from self.xml
echo "a rate that is none" && for speed in -1 200000000; do
    xml "$(gpu 1 0x20b0 '')$(gpu 2 0x20b0 '')$(nic $speed)" >speed.xml && from speed.xml; done
echo "a number that is in no list, and no links" && xml "$(gpu 1 0x20b7 '')$(gpu 2 0x20b7 '')" >unknown.xml && from unknown.xml
echo "no numbers at all" && xml "$(gpu 1 0x20b0 '' | sed 's/vendor=.0x10de. device=.0x20b0.//; s/<gpu.*gpu>//')$(gpu 2 0x20b0 '' | sed 's/vendor=.0x10de. device=.0x20b0.//; s/<gpu.*gpu>//')" >none.xml && from none.xml

dev() { printf '<object type="PCIDev" gp_index="%s" pci_busid="0000:%s0:00.0" pci_type="0302 [10de:15f9] [10de:0000] a1" pci_link_speed="15.75"><object type="OSDev" gp_index="%s" name="cuda%s" osdev_type="5"><info name="GPUModel" value="Tesla P100-SXM2-16GB"/></object></object>' "1$1" "$1" "2$1" "$1"; }
hwloc() { printf '<topology version="2.0"><object type="Machine" gp_index="1">%s</object><distances2hetero nbobjs="3" name="NVLinkBandwidth"><indexes>OSDev:21 OSDev:22 Package:9 </indexes><u64values>0 40000 40000 40000 0 40000 40000 40000 0</u64values></distances2hetero></topology>' "<object type=\"Package\" gp_index=\"9\"><object type=\"NUMANode\" gp_index=\"8\"/>$(dev 1)$(dev 2)</object>"; }
echo "NVLinkBandwidth, to a CPU, too" && hwloc >bandwidth.xml && from bandwidth.xml

echo "tiers, and trees that nothing joins"
{ echo 'SwitchName=core Switches=s[1-2]' && echo 'SwitchName=s1 Switches=l[1-4]' && echo 'SwitchName=s2 Switches=l[5-8]' &&
    for n in 1 2 3 4 5 6 7 8; do echo "SwitchName=l$n Nodes=n$n-[1-8]"; done; } >tiers.conf && from "$T/dgx-h100.xml" tiers.conf
grep -v core tiers.conf >trees.conf && from "$T/dgx-h100.xml" trees.conf

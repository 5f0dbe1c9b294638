#!/bin/bash
# `hiersearch systems --here` on machines that are made up: a fake NVML, hwloc from an XML file, a small /sys. TAP.
#     tests/detect/test_here.sh BUILD         (needs BUILD/hiersearch and a C compiler)
# shellcheck disable=SC2016,SC2034 # conditions are for eval
set -u
build=$(realpath "${1:?usage: test_here.sh BUILD}")
here=$(cd "$(dirname "$0")" && pwd -P)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export NO_COLOR=1 HWLOC_THISSYSTEM=0
unset COLUMNS
cd "$scratch" || exit 2
${CC:-cc} -shared -fPIC -o nvml.so "$here/fake_nvml.c" || { echo "1..0 # SKIP no C compiler"; exit 0; }
# shellcheck source=tests/tap.sh
. "$here/../tap.sh"
tap_shows=(out err)
run() { "$build/hiersearch" systems --here "$@" >out 2>err; status=$?; }
# holds EXPRESSION: of the system file r in out, l its levels.
holds() {
    "${PYTHON3:-/usr/bin/python3}" -c 'import json, sys
r = json.load(open("out")); l = r["levels"]
sys.exit(not eval(sys.argv[1]))' "$1"
}

# Two packages; GPU0 and mlx5_0 behind one switch, the others each at a host bridge of their own.
"${PYTHON3:-/usr/bin/python3}" - >node.xml <<'END'
ids = iter(range(1, 1000))
def sets(k):
    return f'cpuset="{k:#x}" complete_cpuset="{k:#x}" nodeset="{k:#x}" complete_nodeset="{k:#x}" gp_index="{next(ids)}"'
def pci(bus, kind, vendor, inside=""):
    return (f'<object type="PCIDev" gp_index="{next(ids)}" pci_busid="0000:{bus:02x}:00.0" '
            f'pci_type="{kind} [{vendor}] [0000:0000] 00" pci_link_speed="0.0">{inside}</object>')
def nic(bus, name):
    return pci(bus, "0207", "15b3:1021",
               f'<object type="OSDev" gp_index="{next(ids)}" name="{name}" osdev_type="3"/>')
def root(first, last, inside):
    return (f'<object type="Bridge" gp_index="{next(ids)}" bridge_type="0-1" depth="0" '
            f'bridge_pci="0000:[{first:02x}-{last:02x}]">{inside}</object>')
def switch(at, first, last, inside):
    return (f'<object type="Bridge" gp_index="{next(ids)}" bridge_type="1-1" depth="1" bridge_pci="0000:[{first:02x}-{last:02x}]" '
            f'pci_busid="0000:{at}.0" pci_type="0604 [8086:2030] [0000:0000] 00" pci_link_speed="0.0">{inside}</object>')
gpu = lambda bus: pci(bus, "0302", "10de:2330")
def package(k, devices):
    return (f'<object type="Package" os_index="{k}" {sets(1 << k)}>'
            f'<object type="NUMANode" os_index="{k}" {sets(1 << k)} local_memory="1000000"/>'
            f'<object type="PU" os_index="{k}" {sets(1 << k)}/>{devices}</object>')
# One tag a line: hwloc's own small XML reader wants that.
print(('<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE topology SYSTEM "hwloc2.dtd"><topology version="2.0">'
      f'<object type="Machine" os_index="0" {sets(3)} allowed_cpuset="0x3" allowed_nodeset="0x3">'
      + package(0, root(0, 3, switch("00:01", 1, 3, gpu(2) + nic(3, "mlx5_0"))) + root(4, 5, gpu(4)))
      + package(1, root(6, 7, gpu(6)) + root(8, 9, gpu(8) + nic(9, "mlx5_1"))) + '</object></topology>').replace("><", ">\n<"))
END
for k in 0 1; do
    mkdir -p "sys/class/infiniband/mlx5_$k/ports/1"
    echo "400 Gb/sec (4X NDR)" >"sys/class/infiniband/mlx5_$k/ports/1/rate"
done
export HWLOC_XMLFILE=$scratch/node.xml HIERSEARCH_SYSFS=$scratch/sys HIERSEARCH_NVML=$scratch/nvml.so

FAKE_NVML=switch run --json
check "GPUs at an NVSwitch are a switch of 18 links x 20.6 GB/s" 'holds "l[0][\"name\"] == \"nvlink\" and \
    l[0][\"fabric\"] == \"switch\" and l[0][\"arity\"] == 4 and abs(l[0][\"bandwidth_GBps\"] - 370.8) < 1e-6"'
FAKE_NVML=guest run --json
check "in a virtual machine links that lead to nothing known lead to a switch" 'holds "l[0][\"fabric\"] == \"switch\" and \
    l[0][\"arity\"] == 4 and abs(l[0][\"bandwidth_GBps\"] - 370.8) < 1e-6"'
FAKE_NVML=switch run --json
check "two NICs of 400 Gb/s are a level of two ports and 100 GB/s" 'holds "l[1][\"ports\"] == 2 and \
    abs(l[1][\"bandwidth_GBps\"] - 100) < 1e-6 and l[1][\"arity\"] is None"'
check "no figure claims to be measured" 'holds "all(s[\"latency\"].startswith(\"unverified\") and \
    s[\"bandwidth\"].startswith(\"unverified\") for s in (x[\"source\"] for x in l))"'
cp out here.json
"$build/hiersearch" predict here.json --np 16 --size 64MiB >out 2>err; status=$?
check "predict takes the system file" '[ $status = 0 ] && [ -s out ]'
FAKE_NVML=mesh run --json
check "two links between each pair are a mesh of 6 links x 20 GB/s" 'holds "l[0][\"fabric\"] == \"mesh\" and \
    abs(l[0][\"bandwidth_GBps\"] - 120) < 1e-6"'
FAKE_NVML=power run --json
check "three links in pairs and three to the CPU are a graph with two CPUs" 'holds "l[0][\"fabric\"] == \"links\" and \
    l[0][\"relays\"] == 2 and [(*k[\"between\"], k.get(\"count\", 1), k[\"bandwidth_GBps\"]) for k in l[0][\"links\"][:-1]] == \
    [(0, 1, 3, 20), (2, 3, 3, 20), (0, 4, 3, 20), (1, 4, 3, 20), (2, 5, 3, 20), (3, 5, 3, 20)] and l[0][\"links\"][-1][\"between\"] == [4, 5] and l[0][\"links\"][-1][\"bandwidth_GBps\"] == 32"'
FAKE_NVML=pcie run --json
check "without NVLink the level is PCIe 4 x16 at 24 GB/s" 'holds "l[0][\"name\"] == \"pcie\" and \
    abs(l[0][\"bandwidth_GBps\"] - 24) < 1e-6"'
FAKE_NVML=mesh run
check "the CPUs and the driver are shown" 'grep -qE "^CPU  .*, 2 packages, 2 NUMA nodes, 2 hardware threads$" out && \
    grep -qE "^driver +999\.1$" out'
check "pairs show their links" 'grep -qE "^GPU0 +X +NV2 +NV2 +NV2 *$" out'
check "a NIC behind the switch of a GPU is PIX, in its NUMA node NODE, at the other CPU SYS" \
    'grep -qE "^NIC0 +PIX +NODE +SYS +SYS *$" out'
check "a NIC at the host bridge of a GPU is PHB" 'grep -qE "^NIC1 +SYS +SYS +NODE +PHB *$" out'
FAKE_NVML=broken run
check "a driver that does not start is said, and the GPUs that hwloc sees are shown" 'grep -q "NVML does not start" out && \
    grep -qE "^GPU3 .*10?08:00|^GPU3 +0000:08:00" out && grep -qE "^GPU0 +X +NODE +SYS +SYS" out'
HIERSEARCH_NVML=/nowhere/nvml.so run --text
check "without NVML the GPUs are known by their PCI numbers, and four of H100 are taken for a mesh" \
    'grep -q "^nvlink:mesh:4@370.8GB/s" out'
HIERSEARCH_NVML=/nowhere/nvml.so HIERSEARCH_HWLOC=/nowhere/hwloc.so run
check "without both that is said, and it is no failure" '[ $status = 0 ] && grep -q "no NVML" out && grep -q "no hwloc" out'
HIERSEARCH_NVML=/nowhere/nvml.so HIERSEARCH_HWLOC=/nowhere/hwloc.so run --json
check "but a system file cannot be had then" '[ $status = 1 ] && [ ! -s out ] && grep -q "nothing to propose" err'
"$build/hiersearch" systems --from node.xml >out 2>err; status=$?
check "the XML itself says where the NICs are as hwloc's own library does" 'grep -qE "^NIC0 +PIX +NODE +SYS +SYS *$" out && \
    grep -qE "^NIC1 +SYS +SYS +NODE +PHB *$" out && grep -qE "^GPU0 +X +NODE +SYS +SYS *$" out'
finish

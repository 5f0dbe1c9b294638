# Files that are no topology, cut short or of another node: one line with the place.
T=$SRC/tests/detect/topologies
try() { echo "\$ hiersearch systems --from $*"; hiersearch systems --from "$@" 2>&1; echo "exit $?"; }
try
try nowhere.txt
: >empty.txt && try empty.txt
printf 'GPU0\0GPU1' >binary.txt && try binary.txt
head -c 17000000 /dev/zero >huge.txt && try huge.txt
echo 'nothing of the kind' >other.txt && try other.txt
hiersearch systems abci --json >abci.json && try abci.json
head -n 5 "$T/dgx-a100.txt" >short.txt && try short.txt
sed 's/NV12    PXB     PXB     SYS/NV12    PXB     PXB     WAY/' "$T/dgx-a100.txt" >cell.txt && try cell.txt
sed '/^GPU3/s/  SYS.*//' "$T/dgx-a100.txt" >row.txt && try row.txt
sed 's/NIC1    NIC2/NIC1NIC2    /' "$T/dgx-a100.txt" >glued.txt && try glued.txt
cat "$T/p5.txt" "$T/p5.txt" >twice.txt && try twice.txt
head -n 20 "$T/dgx-h100.xml" >short.xml && try short.xml
sed 's/speed="400000"/speed="fast"/' "$T/dgx-h100.xml" >speed.xml && try speed.xml
sed 's/busid="0000:1a:00.0"/busid="here"/' "$T/dgx-h100.xml" >bus.xml && try bus.xml
echo '<html><body/></html>' >page.xml && try page.xml
echo '<!DOCTYPE system [<!ENTITY a "b">]><system>&a;</system>' >entity.xml && try entity.xml
echo '<system version="1"/>' >nothing.xml && try nothing.xml
echo 'SwitchName=leaf Nodes=n[1-' >slurm.conf && try slurm.conf
sed 's/"2.0"/"4.0"/' "$T/hwloc.xml" >hwloc4.xml && try hwloc4.xml
sed 's/^  tree:/  torus3d:/' "$T/topology.yaml" >torus.yaml && try torus.yaml
try "$T/topology.conf"
try "$T/gb200.txt" "$T/dgx-h100.xml"
try "$T/mi300x.txt" "$T/dgx-h100.txt"
try "$T/p5.txt" "$T/mi300x.xml"
try --here
try --names "$T/p5.txt"
hiersearch systems abci "$T/p5.txt"

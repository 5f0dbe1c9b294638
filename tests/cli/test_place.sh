#!/bin/bash
# Placements as launchers are told them: Open MPI's mpirun, MPICH's mpiexec and Slurm's srun start ranks by what
# `place --format` printed, and each says on which host it is. TAP on stdout; needs root.
#     tests/cli/test_place.sh BUILD
set -u
(($# == 1)) || { echo "usage: test_place.sh BUILD" >&2; exit 2; }
hiersearch=$(realpath -e "$1")/hiersearch || exit 2
cluster=$(cd -- "$(dirname -- "$0")/../cluster" && pwd)
python=${PYTHON3:-/usr/bin/python3}
# shellcheck source=tests/cluster/ground.sh
. "$cluster/ground.sh"
lack=$(ground_lacks names)
[[ -z $lack ]] || { echo "1..0 # SKIP $lack"; exit 0; }
unset "${!SLURM@}"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM
cd "$scratch" || exit 2
mkdir tmp
export OMPI_MCA_orte_tmpdir_base=$scratch/tmp

# What a rank says: its number, and its host by the name that the launcher knows.
cat >rank.sh <<'END'
#!/bin/sh
echo "rank ${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-$SLURM_PROCID}} ${SLURMD_NODENAME:-$(hostname)}"
END
chmod +x rank.sh

# shellcheck source=tests/tap.sh
. "$cluster/../tap.sh"
# check SENTENCE: ok where the ranks' lines in the file `out` are those of `wanted`.
check() {
    if [[ -s wanted ]] && diff <(grep '^rank' out | sort -k 2n) wanted >why; then
        ok "$1"
    else
        not_ok "$1" < <(cat why; grep -v '^rank' out | head -n 20)
    fi
}

# Cases: NAME, ranks of a node, mesh, and messages that want the order of axes said behind: dealt out one and two at a
# time to two nodes, in blocks, one at a time to four, and such that nodes do not get ranks in turn, with a split axis, too.
cases=(
    "cyclic 4 dp=2,tp=4 tp:allreduce:64MiB*9,dp:allreduce:1MiB tp,dp"
    "plane 4 a=2,b=2,c=2 a:allreduce:64MiB*9,c:allreduce:64MiB*5,b:allreduce:1MiB a,c,b"
    "block 4 tp=4,dp=2 tp:allreduce:64MiB*9,dp:allreduce:1MiB tp,dp"
    "turns 2 dp=4,tp=2 tp:allreduce:64MiB*9,dp:allreduce:1MiB tp,dp"
    "mixed 2 a=2,b=2,c=2 c:allreduce:64MiB*9,b:allreduce:64MiB*3,a:allreduce:1MiB c,b,a"
    "split 2 a=4,b=2 a:allreduce:3MiB,b:allreduce:2MiB a,b,a"
)

# place NAME RANKS MESH MESSAGES OPTIONS...: the first words of a case, and what to ask.
place() {
    "$hiersearch" place "node:$2@50GB/s~2us,pair:2@9GB/s~3us,ib@2GB/s~5us" --mesh "$3" --messages "$4" -q "${@:5}"
}

# wanted CASE HOST...: where each rank is to lie, by the order that the table shows and nothing else.
wanted() {
    local words
    read -ra words <<<"$1"
    place "${words[@]:0:4}" --format csv >table && "$python" - "${words[@]:1:2}" "${words[4]}" "${@:2}" >wanted <<'END'
import csv, sys
node_ranks, mesh, axes, *hosts = sys.argv[1:]
order = next(csv.DictReader(open("table")))["order"]
assert order.split(",") and [part.split("=")[0] for part in order.split(",")] == axes.split(","), order
sizes = [(name, int(size)) for name, size in (part.split("=") for part in mesh.split(","))]
ranks = 1
for _, size in sizes:
    ranks *= size
for rank in range(ranks):
    digits, rest = {}, rank
    for name, size in sizes:
        digits[name], rest = rest % size, rest // size
    at, stride = 0, 1
    for name, size in (part.split("=") for part in order.split(",")):
        digits[name], digit = divmod(digits[name], int(size))  # of a split axis what is inside first
        at, stride = at + digit * stride, stride * int(size)
    print("rank", rank, hosts[at // int(node_ranks)])
END
}

limited() { timeout -k 5 180 "$@" >out 2>&1 </dev/null; }
openmpi() {
    limited mpirun.openmpi --mca plm_rsh_agent "$cluster/fakessh" --mca plm rsh --mca ras '^slurm' \
        --mca oob_tcp_if_include lo "$@" ./rank.sh
}

hosts=(left right near far)
for case in "${cases[@]}"; do
    read -ra words <<<"$case"
    name=${words[0]} all=$((${words[1]} == 2 ? 4 : 2))
    list=$(IFS=,; echo "${hosts[*]:0:all}")
    : >wanted
    wanted "$case" "${hosts[@]}"
    place "${words[@]:0:4}" --format hostfile --hosts "$list" >hostfile
    if type -P mpirun.openmpi >/dev/null; then
        openmpi --bind-to none --map-by seq --hostfile hostfile -np 8
        check "$name: Open MPI's mpirun puts each rank where the hostfile says"
    else skip "$name: Open MPI's mpirun" "no mpirun.openmpi"; fi
    if type -P mpiexec.mpich >/dev/null; then
        limited mpiexec.mpich -launcher ssh -launcher-exec "$cluster/fakessh" -rmk user -f hostfile -n 8 ./rank.sh
        check "$name: MPICH's mpiexec puts each rank where the hostfile says"
    else skip "$name: MPICH's mpiexec" "no mpiexec.mpich"; fi
    # It binds ranks to cores of their own, so a node needs as many.
    if type -P mpirun.openmpi >/dev/null && (($(nproc) >= ${words[1]})); then
        place "${words[@]:0:4}" --format rankfile --hosts "$list" >rankfile
        openmpi --host "${list//,/:${words[1]},}:${words[1]}" --rankfile rankfile -np 8
        check "$name: Open MPI's mpirun puts each rank where the rankfile says"
    else skip "$name: Open MPI's rankfile" "nodes of ${words[1]} ranks need as many cores"; fi
done

# Each in an allocation of its nodes: of a larger one a step may get any.
cat >job <<'END'
name=$1
echo "case $name distribution"; eval "$(cat "$name.srun") ./rank.sh"
echo "case $name arbitrary"; SLURM_HOSTFILE=$PWD/$name.hosts srun --distribution=arbitrary ./rank.sh
[ "$(nproc)" -ge "$(cat "$name.ranks")" ] && type mpirun.openmpi >/dev/null || exit 0
echo "case $name relative"; timeout 180 mpirun.openmpi --rankfile "$name.rankfile" -np 8 ./rank.sh
END
cat >every.sh <<'END'
for name in cyclic plane block turns mixed split; do
    nodes=$((8 / $(cat "$name.ranks")))
    salloc -N$nodes -w "n[1-$nodes]" --ntasks-per-node=4 bash job "$name"
done
END
lack=$(ground_lacks slurm ip nsenter setpriv munged slurmctld slurmd srun salloc)
if [[ $lack ]]; then
    skip "Slurm's srun" "$lack"
else
    for case in "${cases[@]}"; do
        read -ra words <<<"$case"
        name=${words[0]}
        wanted "$case" n1 n2 n3 n4 && mv wanted "$name.wanted"
        echo "${words[1]}" >"$name.ranks"
        place "${words[@]:0:4}" --format srun --hosts n1,n2,n3,n4 >"$name.srun"
        place "${words[@]:0:4}" --format rankfile >"$name.rankfile"
        place "${words[@]:0:4}" --format hostfile --hosts n1,n2,n3,n4 >"$name.hosts"
    done
    timeout -k 5 260 "$cluster/slurm" run --nodes 4 --timeout 240 -- bash every.sh >all 2>&1 </dev/null
    for case in "${cases[@]}"; do
        read -ra words <<<"$case"
        name=${words[0]}
        cp "$name.wanted" wanted
        for way in distribution arbitrary relative; do
            sed -n "/^case $name $way\$/,/^case /p" all | grep -v '^case' >out
            if [[ $way == relative ]] && ! grep -q "^case $name relative" all; then
                skip "$name: Open MPI's rankfile by the allocation's numbers" "no mpirun.openmpi, or too few cores"
            else
                check "$name: Slurm puts each rank where it is told to ($way)"
            fi
        done
    done
fi
finish

#!/bin/bash
# Whether nodes, racks and their order are recognised. TAP on stdout; most of it needs root.
#     tests/runner/test_placement.sh mpich|openmpi PROGRAM      PROGRAM: mpi_placement built with that MPI
# shellcheck disable=SC2016 # texts in single quotes are for the shells that they are handed to
set -u
(($# == 2)) || { echo "usage: test_placement.sh mpich|openmpi PROGRAM" >&2; exit 2; }
mpi=$1
program=$(realpath -- "$2") || exit 2
cluster=$(cd -- "$(dirname -- "$0")/../cluster" && pwd)
case $mpi in
    mpich) launcher=mpiexec.mpich ;;
    openmpi) launcher=mpirun.openmpi ;;
    *) echo "test_placement.sh: expected mpich or openmpi, found $mpi" >&2; exit 2 ;;
esac
# shellcheck source=tests/cluster/ground.sh
. "$cluster/ground.sh"
command -v "$launcher" >/dev/null || { echo "1..0 # SKIP no $launcher"; exit 0; }
unset SLURM_JOB_ID SLURM_JOB_NODELIST SLURMD_NODENAME
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# Ranks of Open MPI that end early leave files behind: here they are removed with the rest.
export OMPI_MCA_btl_vader_backing_directory=$scratch OMPI_MCA_orte_tmpdir_base=$scratch
trap 'exit 1' INT TERM

# shellcheck source=tests/tap.sh
. "$cluster/../tap.sh"
tap_behind=" ($mpi)"
# check SENTENCE STATUS LINE...: the job's status is that and its lines begin with these, "node" lines
# counted; "!" before a line: no line begins so.
check() {
    local sentence=$1 wanted=$2 line good=yes
    shift 2
    ((status == wanted)) || good=
    for line; do
        if [[ $line == '!'* ]]; then
            ! grep -qE -- "^(${line#!})" "$scratch/out" || good=
        else
            grep -qE -- "^($line)\$" "$scratch/out" || good=
        fi
    done
    if [[ $good ]]; then
        ok "$sentence"
        return
    fi
    not_ok "$sentence" < <(
        echo "expected status $wanted and lines: $(printf '"%s" ' "$@")"
        echo "status $status, printed:"
        cat "$scratch/out"
    )
}

limited() {
    timeout -k 5 180 "$@" >"$scratch/out" 2>&1
    status=$?
}

# hosts NAME:RANKS,... NP [PROGRAM...]: a job on hosts that fakessh makes up. $map and $per_node deal the
# ranks out in turn with Open MPI and with MPICH.
hosts() {
    local list=$1 np=$2
    shift 2
    (($# > 0)) || set -- "$program"
    case $mpi in
        mpich)
            limited mpiexec.mpich -launcher ssh -launcher-exec "$cluster/fakessh" -rmk user \
                -hosts "$list" ${per_node:+-ppn "$per_node"} -n "$np" "$@"
            ;;
        openmpi)
            limited mpirun.openmpi --host "$list" -np "$np" --mca plm_rsh_agent "$cluster/fakessh" \
                --mca plm rsh --mca ras '^slurm' --mca oob_tcp_if_include lo \
                --mca btl_tcp_if_include lo --mca pml ob1 --mca btl tcp,self,vader --bind-to none \
                --mca mpi_yield_when_idle 1 ${map:+--map-by "$map"} "$@"
            ;;
    esac
}

# MPICH can take one machine for several nodes: cliques of ranks, in turn or in blocks.
cliques() {
    local count=$1 by_block=$2 np=$3
    limited env MPIR_CVAR_NUM_CLIQUES="$count" MPIR_CVAR_CLIQUES_BY_BLOCK="$by_block" \
        mpiexec.mpich -n "$np" "$program"
}

cliques_are_nodes() {
    cliques 2 1 6
    check "2 nodes in blocks are recognised and left in order" 0 \
        'nodes=2 racks=0 even=1 reordered=0' 'order 0 1 2 3 4 5' 'note '
    cliques 2 0 6
    check "2 nodes with ranks in turn are reordered" 0 \
        'nodes=2 racks=0 even=1 reordered=1' 'order 0 2 4 1 3 5' \
        'note ranks were reordered by node.*'
    cliques 3 0 6
    check "3 nodes with ranks in turn are reordered" 0 \
        'nodes=3 racks=0 even=1 reordered=1' 'order 0 3 1 4 2 5'
    cliques 4 1 8
    check "4 nodes in blocks are recognised" 0 \
        'nodes=4 racks=0 even=1 reordered=0' 'order 0 1 2 3 4 5 6 7'
    cliques 4 0 6
    check "4 nodes with 6 ranks in turn are uneven" 0 \
        'nodes=4 racks=0 even=0 reordered=1' 'order 0 4 1 5 2 3' 'note uneven: .*'
}

one_node() {
    case $mpi in
        mpich) limited mpiexec.mpich -n 3 "$program" ;;
        openmpi)
            limited mpirun.openmpi --oversubscribe --bind-to none --mca mpi_yield_when_idle 1 \
                -np 3 "$program"
            ;;
    esac
    check "one machine is one node, with nothing to say" 0 \
        'nodes=1 racks=0 even=1 reordered=0' "node $(hostname) - 3" 'order 0 1 2' 'note '
    limited "$program"
    check "without a launcher there is one node with one rank" 0 \
        'nodes=1 racks=0 even=1 reordered=0' 'order 0' 'note '
}

uneven_hosts() {
    hosts n01:4,n02:1 5
    check "5 ranks on nodes of 4 are uneven" 0 'nodes=2 racks=0 even=0 reordered=0' \
        'node n01 - 4' 'node n02 - 1' 'order 0 1 2 3 4' \
        'note uneven: n01 4 ranks, n02 1 rank; layers that should stay in a node may cross nodes'
    hosts n01:4,n02:2 6
    check "6 ranks on nodes of 4 are uneven" 0 'nodes=2 racks=0 even=0 reordered=0' \
        'node n01 - 4' 'node n02 - 2' 'order 0 1 2 3 4 5' \
        'note uneven: n01 4 ranks, n02 2 ranks; layers of 2 ranks stay in a node, larger ones may cross nodes'
    hosts n01:3,n02:3 6
    check "6 ranks on two nodes are even" 0 'nodes=2 racks=0 even=1 reordered=0' \
        'node n01 - 3' 'node n02 - 3' 'order 0 1 2 3 4 5' 'note '
}

ranks_in_turn() {
    local map=node per_node=1
    hosts n01:3,n02:3 6
    check "ranks dealt to hosts in turn are reordered" 0 'nodes=2 racks=0 even=1 reordered=1' \
        'node n01 - 3' 'node n02 - 3' 'order 0 2 4 1 3 5' 'note ranks were reordered by node.*'
}

# A stand-in for scontrol: these ranks believe that they are in a job of Slurm's.
# in_job NODELIST HOSTS NP, with the script of scontrol on stdin
in_job() {
    mkdir -p "$scratch/bin"
    cat >"$scratch/bin/scontrol"
    chmod +x "$scratch/bin/scontrol"
    hosts "$2" "$3" env PATH="$scratch/bin:$PATH" SLURM_JOB_ID=1 SLURM_JOB_NODELIST="$1" "$program"
}

told_topology() {
    in_job 'n[1-3]' n2:2,n3:2,n1:2 6 <<'END'
#!/bin/sh
[ "$*" = "show topology" ] || exit 1
echo 'SwitchName=leaf1 Level=0 LinkSpeed=1 Nodes=n[1-2]'
echo 'SwitchName=leaf2 Level=0 LinkSpeed=1 Nodes=n[3-4]'
echo 'SwitchName=spine Level=1 LinkSpeed=1 Nodes=n[1-4] Switches=leaf[1-2]'
END
    check "nodes of a rack come together, in the launcher's order" 0 \
        'nodes=3 racks=2 even=1 reordered=1' 'node n2 leaf1 2' 'node n1 leaf1 2' \
        'node n3 leaf2 2' 'order 0 1 4 5 2 3' \
        'note uneven: leaf1 2 nodes, leaf2 1 node; .*; ranks were reordered by rack and node.*'
    in_job 'm[1-3]' n1:1,n2:1 2 <<'END'
#!/bin/sh
echo 'SwitchName=leaf1 Level=0 LinkSpeed=1 Nodes=m[1-3]'
END
    check "nodes that are not in Slurm's list have no rack, and that is said" 0 \
        'nodes=2 racks=0 even=1 reordered=0' "note racks unknown: host n1 is not in Slurm's list.*"
    in_job 'n[1-2]' n1:1,n2:1 2 <<'END'
#!/bin/sh
echo 'slurm_load_topo error: Unable to contact slurm controller' >&2
exit 1
END
    check "where scontrol fails racks are unknown without a word" 0 \
        'nodes=2 racks=0 even=1 reordered=0' 'note '
    in_job 'n[1-2]' n1:1,n2:1 2 <<'END'
#!/bin/sh
echo 'SwitchName=leaf1 Level=0 LinkSpeed=1 Nodes=n[1-'
END
    check "a topology that makes no sense is said" 0 \
        'nodes=2 racks=0 even=1 reordered=0' "note racks unknown: Slurm's topology, line 1: .*"
    slow_scontrol
}

slow_scontrol() {
    local start=$SECONDS pid
    in_job 'n[1-2]' n1:1,n2:1 2 <<END
#!/bin/sh
echo 'SwitchName=leaf1 Level=0 LinkSpeed=1 Nodes=n[1-2]'
sleep 300 &
echo "\$\$ \$!" >"$scratch/pids"
wait
END
    ((SECONDS - start < 40)) || status="$status, after $((SECONDS - start)) s"
    check "a scontrol that does not end is given up" 0 'nodes=2 racks=0 even=1 reordered=0' \
        'note racks unknown: scontrol show topology: no answer within 5 s'
    read -ra pids <"$scratch/pids"
    : >"$scratch/out"
    status=${#pids[@]}
    for pid in "${pids[@]}"; do
        if [[ -d /proc/$pid && $(<"/proc/$pid/stat") != *') Z '* ]]; then
            echo "$pid is still there" >>"$scratch/out"
            kill "$pid"
        fi
    done
    check "and ended with all that it has started" 2 '!.* is still there'
}

without_scontrol() {
    hosts n1:1,n2:1 2 env PATH=/nowhere SLURM_JOB_ID=1 SLURM_JOB_NODELIST='n[1-2]' "$program"
    check "without scontrol racks are unknown without a word" 0 \
        'nodes=2 racks=0 even=1 reordered=0' 'note '
}

# in_slurm COMMAND: a line of shell that runs in a Slurm of 4 nodes under 2 leaf switches.
in_slurm() {
    timeout -k 20 260 "$cluster/slurm" run --timeout 240 -- \
        bash -c "$1" slurm "$program" >"$scratch/out" 2>&1
    status=$?
}

real_slurm() {
    local srun="real Slurm: racks are found under srun"
    local salloc="real Slurm: racks are found under salloc and mpiexec"
    local sbatch="real Slurm: nodes of one host name under sbatch have no rack, and that is said"
    local lack
    lack=$(ground_lacks slurm ip nsenter setpriv munged slurmctld slurmd srun salloc sbatch)
    if [[ $lack ]]; then
        skip "$srun" "$lack"
        skip "$salloc" "$lack"
        skip "$sbatch" "$lack"
        return
    fi
    in_slurm 'srun --mpi=pmi2 -N4 --ntasks-per-node=2 "$1"'
    check "$srun" 0 'nodes=4 racks=2 even=1 reordered=0' 'node n1 leaf1 2' 'node n2 leaf1 2' \
        'node n3 leaf2 2' 'node n4 leaf2 2' 'note '
    in_slurm 'salloc -N4 --ntasks-per-node=2 mpiexec.mpich "$1"'
    check "$salloc" 0 'nodes=4 racks=2 even=1 reordered=0' 'node n1 leaf1 2' 'node n2 leaf1 2' \
        'node n3 leaf2 2' 'node n4 leaf2 2' 'note '
    in_slurm 'printf "#!/bin/bash\nexec mpiexec.mpich %q\n" "$1" |
        sbatch -W -N4 --ntasks-per-node=2 -o /dev/shm/placement.out; cat /dev/shm/placement.out'
    check "$sbatch" 0 'nodes=4 racks=0 even=1 reordered=0' \
        'note racks unknown: several nodes have the host name .*'
}

map='' per_node=''
one_node
[[ $mpi != mpich ]] || cliques_are_nodes
lack=$(ground_lacks names)
if [[ -z $lack ]]; then
    uneven_hosts
    ranks_in_turn
    told_topology
    without_scontrol
    [[ $mpi != mpich ]] || real_slurm
else
    for sentence in "uneven hosts" "ranks in turn" "racks from scontrol" "a real Slurm"; do
        skip "$sentence" "$lack"
    done
fi
finish

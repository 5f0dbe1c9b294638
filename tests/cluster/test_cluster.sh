#!/bin/bash
# Tests of the emulated cluster and of Slurm on one machine. Prints TAP. Needs root, see README.md.
set -u
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
cluster=$here/cluster slurm=$here/slurm
# shellcheck source-path=SCRIPTDIR source=ground.sh
source "$here/ground.sh"
scratch=$(mktemp -d)
started=()
# shellcheck source=tests/tap.sh
source "$here/../tap.sh"

# What this test starts it ends, also when it is interrupted.
clean_up() {
    local pid
    for pid in "${started[@]}"; do kill -TERM "$pid" 2>/dev/null; done
    wait
    [[ ! -d $scratch/up ]] || "$cluster" down --name "test-$$" 2>/dev/null
    rm -rf "$scratch"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# check SENTENCE COMMAND...: ok if the command succeeds.
check() { step "$@"; }

# --- What must be the same before and after ------------------------------------------------------

# Links, mounts, named network namespaces and shared memory as this machine sees them.
machine() {
    ip -o link | awk '{ print $2 }' | sort
    ip netns list | sort
    awk '{ print $5 }' /proc/self/mountinfo | sort
    hostname
    cat /etc/hosts
}

# Processes and records that belong to the box whose owner had this pid.
left_of() {
    ls -d "/run/hiersearch-$2/run-$1" 2>/dev/null
    grep -lsz "/run/hiersearch-$2/run-$1" /proc/[0-9]*/cmdline
}

nothing_left_of() { [[ -z $(left_of "$@" | tee /dev/stderr) ]]; }

# Waits until the job runs, which shows by the file it makes.
job_runs() {
    local tries
    for ((tries = 0; tries < 200; tries++)); do
        [[ -e $scratch/runs ]] && return
        sleep 0.1
    done
    return 1
}

# Starts `cluster run` with a job that would run for a minute; sets owner.
start_long_run() {
    rm -f "$scratch/runs"
    "$cluster" run --hosts-per-rack 1 --ranks-per-host 1 -- \
        sh -c "touch $scratch/runs; sleep 60.$$; exit 1" >/dev/null 2>&1 </dev/null &
    owner=$!
    started+=("$owner")
    job_runs
}

sleeper() { grep -qsxz "60.$$" /proc/[0-9]*/cmdline; }

# The mark that it runs is made just before it sleeps.
a_sleeper() {
    local tries
    for ((tries = 0; tries < 50; tries++)); do
        sleeper && return 0
        sleep 0.1
    done
    return 1
}

no_sleeper() {
    local tries
    for ((tries = 0; tries < 50; tries++)); do
        sleeper || return 0
        sleep 0.1
    done
    return 1
}

status_is() {
    local want=$1 got
    shift
    "$@"
    got=$?
    echo "status $got, expected $want"
    ((got == want))
}

by_way_of() {
    local device=$1 route
    shift
    route=$("$@" </dev/null)
    echo "$route"
    [[ " $route " == *" dev $device "* ]]
}

same_text() { [[ $1 == "$2" ]] || { printf '%s\n' "have: $1" "want: $2"; return 1; }; }

# --- The cluster ---------------------------------------------------------------------------------

test_jobs() {
    local before
    before=$(machine)
    check "the exit status of the program is passed through" \
        status_is 7 "$cluster" run --np 1 -- sh -c 'exit 7' </dev/null
    check "a job that does not end is ended after --timeout with status 124" \
        status_is 124 "$cluster" run --hosts-per-rack 1 --timeout 2 -- sleep "60.$$" </dev/null
    check "no process of it is left" no_sleeper
    check "a rate that tc would not understand is a usage error" \
        status_is 2 "$cluster" run --host-rate fast -- true
    check "hosts that are joined directly talk by that link" \
        by_way_of to1 "$cluster" run --racks 1 --np 1 --links 0-1:2,0-2 -- ip route get 10.77.0.2
    check "others by the switches" \
        by_way_of eth0 "$cluster" run --racks 1 --np 1 --links 0-1:2,0-2 -- ip route get 10.77.0.4
    check "a link to a host that is not there is a usage error" \
        status_is 2 "$cluster" run --racks 1 --hosts-per-rack 2 --links 0-2 -- true
    check "links, mounts, names and namespaces of the machine are as before" \
        same_text "$(machine)" "$before"
}

test_signals() {
    local status
    check "a run starts" start_long_run
    check "its ranks can be seen from outside" a_sleeper
    kill -TERM "$owner"
    wait "$owner"
    status=$?
    check "a run ended with SIGTERM does not return 0" test "$status" -ne 0
    check "SIGTERM leaves neither processes nor records" nothing_left_of "$owner" cluster
    check "SIGTERM ends the ranks" no_sleeper

    check "another run starts" start_long_run
    kill -KILL "$owner"
    wait "$owner" 2>/dev/null
    "$cluster" clean 2>/dev/null
    check "kill -9 and clean leave neither processes nor records" nothing_left_of "$owner" cluster
    check "kill -9 ends the ranks" no_sleeper
}

test_standing() {
    mkdir "$scratch/up"
    check "a cluster comes up" "$cluster" up --name "test-$$" --hosts-per-rack 2 --ranks-per-host 1
    check "its name cannot be used twice" status_is 1 "$cluster" up --name "test-$$"
    "$cluster" clean
    check "clean leaves it alone: a host of it answers by its name" \
        same_text "$("$cluster" exec --name "test-$$" --on r1h0 -- hostname </dev/null)" r1h0
    check "hosts reach each other" \
        "$cluster" exec --name "test-$$" --on r1h0 -- bash -c 'getent hosts r0h1 && ip route get 10.77.0.2' </dev/null
    check "hosts do not share /dev/shm" separate_shared_memory
    check "it can be taken down" "$cluster" down --name "test-$$"
    rmdir "$scratch/up"
    check "it is gone" status_is 1 "$cluster" exec --name "test-$$" --on r1h0 -- true
}

separate_shared_memory() {
    local on=("$cluster" exec --name "test-$$" --on)
    "${on[@]}" r0h0 -- touch "/dev/shm/mine-$$" </dev/null &&
        "${on[@]}" r0h0 -- test -e "/dev/shm/mine-$$" </dev/null &&
        ! "${on[@]}" r0h1 -- test -e "/dev/shm/mine-$$" </dev/null &&
        [[ ! -e /dev/shm/mine-$$ ]]
}

# rate_is NAME CONFIGURED: never above (15 %); far below only if something else is wrong than noise.
rate_is() {
    awk -v name="$1" -v want="$2" '$1 == "rate" && $2 == name { got = $3 }
        END { printf "%s Mbit/s, configured %s\n", got, want
              exit !(got > 0.5 * want && got < 1.15 * want) }' "$scratch/rates"
}

test_rates() {
    local shape=(--racks 2 --hosts-per-rack 2 --ranks-per-host 2)
    shape+=(--host-rate 400mbit --spine-rate 300mbit)
    mpicc.mpich -std=c11 -O2 "$here/probe.c" -o "$scratch/probe" -lm || exit 1
    # Its status is not looked at: MPI_Finalize may hang (see probe.c), after everything is printed.
    "$cluster" run "${shape[@]}" --timeout 25 -- "$scratch/probe" rates \
        >"$scratch/rates" 2>/dev/null </dev/null
    check "each host is a node of two ranks and has its own name" same_text \
        "$(grep ^node "$scratch/rates")" "$(printf 'node r%dh%d ranks 2\n' 0 0 0 1 1 0 1 1)"
    check "two hosts of a rack reach the speed of their links" rate_is rack 400
    check "hosts of different racks reach the speed of the uplink" rate_is spine 300
    check "all hosts of a rack share the uplink" rate_is uplink 300
    check "describe prints those speeds in GB/s" same_text \
        "$("$cluster" describe "${shape[@]}" | grep -o 'bandwidth_GBps": [0-9.]*' | tail -n 2)" \
        "$(printf 'bandwidth_GBps": %s\n' 0.05 0.0375)"
}

# --- Slurm ---------------------------------------------------------------------------------------

test_slurm() {
    local before owner status
    before=$(machine)
    # shellcheck disable=SC2016
    "$slurm" run --nodes 4 --timeout 30 -- sh -c 'srun -N4 --ntasks-per-node=2 sh -c \
        "echo task \$SLURMD_NODENAME \$SLURM_TOPOLOGY_ADDR"; scontrol show topology; exit 5' \
        >"$scratch/slurm" 2>"$scratch/slurm.err" </dev/null &
    owner=$!
    started+=("$owner")
    wait "$owner"
    status=$?
    check "slurm: the exit status of the command is passed through" same_text "$status" 5
    check "slurm: srun puts two tasks on each of four nodes, and says under which switches" \
        same_text "$(grep ^task "$scratch/slurm" | sort | uniq -c | awk '{ print $1, $3, $4 }')" \
        "$(printf '2 n%d spine.leaf%d.n%d\n' 1 1 1 2 1 2 3 2 3 4 2 4)"
    check "slurm: scontrol shows two leaf switches and a spine" same_text \
        "$(grep -o 'SwitchName=.*' "$scratch/slurm" | awk '{ print $1, $NF }')" \
        "$(printf 'SwitchName=%s\n' 'leaf1 Nodes=n[1-2]' 'leaf2 Nodes=n[3-4]' 'spine Switches=leaf[1-2]')"
    check "slurm: no daemon and no record is left" nothing_left_of "$owner" slurm
    check "slurm: links, mounts and names of the machine are as before" \
        same_text "$(machine)" "$before"
}

lack=$(ground_lacks cluster ip tc nsenter setpriv mpiexec.mpich mpicc.mpich)
if [[ $lack ]]; then
    skip "an emulated cluster runs jobs and cleans up" "$lack"
else
    test_jobs
    test_signals
    test_standing
    test_rates
fi
lack=$(ground_lacks slurm ip nsenter setpriv munged slurmctld slurmd srun)
if [[ $lack ]]; then skip "slurm runs on one machine" "$lack"; else test_slurm; fi
finish

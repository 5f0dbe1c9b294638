# shellcheck shell=bash
# Sourced by tests that need emulated hosts or Slurm: what this machine lacks for them, so that such
# a test is skipped with the reason. A container's root, for one, may often make no namespaces.
# Only the machine is looked at and none of our programs: where it lacks nothing, they have to work.

# ground_lacks names|slurm|cluster TOOL...: prints the first thing that is missing, or nothing.
#     names      host names of their own, as fakessh gives them
#     slurm      those, a network and mounts of its own, as the box of `slurm` has
#     cluster    those, and links with a speed, as `cluster` has
ground_lacks() {
    local kind=$1 tool own=(--uts)
    shift
    ((EUID == 0)) || { echo "needs root"; return; }
    for tool in unshare hostname "$@"; do
        type -P "$tool" >/dev/null || { echo "needs $tool"; return; }
    done
    [[ $kind == names ]] || own+=(--mount --net --ipc --pid --fork --kill-child --mount-proc)
    # shellcheck disable=SC2016
    unshare "${own[@]}" true 2>/dev/null || { echo "this root may not make namespaces"; return; }
    unshare "${own[@]}" hostname ground 2>/dev/null ||
        { echo "this root may not set a host name"; return; }
    [[ $kind == names ]] || ground_lacks_in_box "$kind"
}

# shm_lacks RANKS: says so where /dev/shm is too small for so many ranks of MPICH, which take 4.2 MB
# each; a container often has 64 MB.
shm_lacks() {
    local free_kib
    free_kib=$(df --output=avail -k /dev/shm 2>/dev/null | tail -n 1)
    ((${free_kib:-0} >= $1 * 4400)) || echo "$1 ranks need $(($1 * 44 / 10)) MB of /dev/shm"
}

# ground_lacks for what a box makes within its namespaces: each line of the list is tried in turn.
ground_lacks_in_box() {
    unshare --mount --net --uts --ipc --pid --fork --kill-child --mount-proc bash -s "$1" <<'END'
try() {
    local lack=$1
    shift
    "$@" >/dev/null 2>&1 || { echo "$lack"; exit; }
}
try "this root may not mount" mount -t tmpfs tmpfs /dev/shm
try "this root may not bind files" mount --bind /etc/hosts /etc/hosts
try "no network bridge can be made" ip link add bridge type bridge
try "no network address can be set" ip addr add 10.79.0.1/16 dev bridge
[[ $1 == cluster ]] || exit 0
try "no network links can be made" ip link add link0 type veth peer name link1
try "no token bucket (sch_tbf) can be set" \
    tc qdisc add dev link0 root tbf rate 1gbit burst 131072 limit 65536
END
}

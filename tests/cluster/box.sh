# shellcheck shell=bash disable=SC2154
# Sourced by `cluster` and `slurm`: a box is a set of private namespaces (network, PID, mounts, host
# name, IPC) with one process 1. Nothing in a box is visible outside it, and when its process 1 dies
# the kernel ends every process in the box and frees its links and mounts. So removing a box is one
# kill, and no list of things to remove can go out of date.
#
# The only thing outside is a record, one directory per box under $box_root:
#   owner     pid and start time of the process the box belongs to
#   keeper    pid and start time of the process that started the box's process 1
#   settings  shell variables for the process 1
# A record whose owner is dead is a leftover; box_clean ends its box and removes it.
#
# The sourcing script sets $box_program (for messages), $box_kind (name of the record directory) and
# defines box_inside, which prepares the box as its process 1 and returns.

box_say() { printf '%s: %s\n' "$box_program" "$*" >&2; }
box_fail() { box_say "$*"; exit 1; }
box_usage() { box_say "$*"; exit 2; }

# Directory of all records. Under /run only root can put something in our way.
box_choose_root() {
    if ((EUID == 0)) && [[ -w /run ]]; then
        box_root=/run/hiersearch-$box_kind
    else
        box_root=${XDG_RUNTIME_DIR:-/tmp}/hiersearch-$box_kind-$EUID
    fi
    mkdir -p "$box_root" && chmod 700 "$box_root" || exit 1
    [[ -O $box_root && ! -L $box_root ]] || box_fail "$box_root: belongs to somebody else"
}

box_need() {
    local tool
    for tool; do
        type -P "$tool" >/dev/null || box_fail "$tool: not found (the README lists the packages)"
    done
}

# "PID STARTTIME": a pid alone may be used again by another process.
process_identity() {
    local stat
    { stat=$(<"/proc/$1/stat"); } 2>/dev/null || return 1
    read -ra stat <<<"${stat##*) }"
    [[ ${stat[0]} != Z ]] && printf '%s %s\n' "$1" "${stat[19]}"
}

# Whether the process recorded in a file is still that same process.
recorded_alive() {
    local pid start
    read -r pid start <"$1" 2>/dev/null && [[ $(process_identity "$pid") == "$pid $start" ]]
}

first_child() {
    local children
    { children=$(<"/proc/$1/task/$1/children"); } 2>/dev/null
    [[ $children ]] && printf '%s\n' "${children%% *}"
}

# Sets box_init, the box's process 1 as a pid of ours. Fails when the box is gone.
box_find_init() {
    local keeper
    recorded_alive "$1/keeper" || return 1
    read -r keeper _ <"$1/keeper"
    box_init=$(first_child "$keeper")
}

# Records are made under another name and renamed, so that nobody ever sees one without an owner.
box_record() {
    local name=$1 new=$box_root/.new.$$
    box_dir=$box_root/$name
    rm -rf "$new"
    mkdir -m 700 "$new" && process_identity $$ >"$new/owner" && cat >"$new/settings" || exit 1
    if ! mv -T "$new" "$box_dir" 2>/dev/null; then
        rm -rf "$new"
        unset box_dir
        box_fail "$name: exists already"
    fi
}

# Ends one box and removes its record. Waiting for the keeper means waiting for every process in it.
box_remove() {
    local dir=$1 keeper _
    if box_find_init "$dir"; then
        read -r keeper _ <"$dir/keeper"
        kill -KILL "${box_init:-$keeper}" 2>/dev/null
        while recorded_alive "$dir/keeper"; do sleep 0.02; done
    fi
    rm -rf "$dir"
}

# Leftovers only: records of dead owners, and half-made records of dead processes.
box_clean() {
    local dir pid
    for dir in "$box_root"/.new.*; do
        pid=${dir##*.}
        [[ -d $dir ]] && ! kill -0 "$pid" 2>/dev/null && rm -rf "$dir"
    done
    for dir in "$box_root"/*/; do
        dir=${dir%/}
        if [[ ! -d $dir ]] || recorded_alive "$dir/owner"; then continue; fi
        box_say "removing ${dir##*/}, left behind by a process that is gone"
        box_remove "$dir"
    done
}

# Starts the box of $box_dir and waits until box_inside has returned. With "tied" it dies with us,
# even if we are killed with SIGKILL.
box_start() {
    local tie=() user=() answer
    [[ ${1-} == tied ]] && tie=(setpriv --pdeathsig KILL)
    ((EUID == 0)) || user=(--user --map-root-user)
    mkfifo -m 600 "$box_dir/ready" || exit 1
    setsid "${tie[@]}" unshare "${user[@]}" --mount --net --uts --ipc --pid --fork --kill-child \
        --mount-proc bash "$0" __inside "$box_dir" \
        3>"$box_dir/ready" 4>&2 </dev/null 2>"$box_dir/keeper.log" &
    box_keeper=$!
    process_identity "$box_keeper" >"$box_dir/keeper"
    read -r answer <"$box_dir/ready" || :
    if [[ $answer != ready ]] || ! box_find_init "$box_dir"; then
        box_fail "could not be set up: $(cat "$box_dir/keeper.log")"
    fi
}

# The process 1: bash, because it also reaps the processes that lose their parent.
box_be_init() {
    box_dir=$1
    exec 2>&4 4>&-
    # shellcheck disable=SC1091
    source "$box_dir/settings"
    box_inside || exit 1
    echo ready >&3
    exec 3>&-
    box_idle
}

# Does nothing for ever, under a name of its own; bash still reaps.
box_idle() {
    local nothing
    echo box >/proc/self/comm
    exec {nothing}<> <(:)
    while :; do read -r -u "$nothing"; done
}

# Runs a command in the box, in the directory and with the signals and input of the caller.
# In a session of its own, so that a Ctrl-C reaches it once: through us.
box_enter() {
    # shellcheck disable=SC2016
    exec setsid env --default-signal=INT,QUIT nsenter -t "$box_init" -a -- \
        bash -c 'cd -- "$1" && shift && exec "$@"' box "$PWD" "$@"
}

# Pids, in the box's own numbering, of the processes of the last command: all that inherited its mark.
box_job_pids() {
    local pid
    for pid in "/proc/$box_init/root/proc"/[0-9]*; do
        # A process may end while we look at it.
        grep -qsz "^HIERSEARCH_BOX_JOB=$box_mark$" "$pid/environ" && echo "${pid##*/}"
    done
}

# Ends them all, including those that nobody waits for any more.
box_end_job() {
    local pids round
    for round in 1 2 3; do
        mapfile -t pids < <(box_job_pids)
        ((${#pids[@]})) || return 0
        nsenter -t "$box_init" -p -m -- bash -c 'kill -KILL "$@"' kill "${pids[@]}" 2>/dev/null
        sleep "0.0$round"
    done
}

# Runs a command in the box and sets box_status; gives up after $1 seconds (0: never), which is
# status 124. INT and TERM are handed to the command; if it has not ended 10 s later, or at a second
# signal, we give up too. Whatever it left running is ended.
box_run() {
    local limit=$1 ended gave_up=
    shift
    box_signal=0
    box_timer=
    box_mark=$$.$RANDOM
    (HIERSEARCH_BOX_JOB=$box_mark box_enter "$@") <&0 &
    box_job=$!
    if [[ $limit != 0 ]]; then box_set_timer "$limit"; fi
    trap 'box_forward INT 2' INT
    trap 'box_forward TERM 15' TERM HUP
    while [[ -z $gave_up ]]; do
        ended=
        wait -n -p ended "$box_job" ${box_timer:+"$box_timer"}
        box_status=$?
        # Neither of them: a signal came, or bash has counted the job's end before we asked.
        case ${ended:-none} in
            "$box_job") break ;;
            "$box_timer") gave_up=yes ;;
            *) ((box_status != 127)) || { wait "$box_job"; box_status=$?; break; } ;;
        esac
    done
    trap - INT TERM HUP
    box_set_timer
    if [[ $gave_up ]]; then
        disown "$box_job"
        box_say "the command did not end in time; ending its $(box_job_pids | wc -l) processes"
        box_status=124
    fi
    box_end_job
    if ((box_signal && (gave_up || !box_status))); then box_status=$((128 + box_signal)); fi
}

box_set_timer() {
    if [[ $box_timer ]]; then
        disown "$box_timer" 2>/dev/null
        kill "$box_timer" 2>/dev/null
    fi
    box_timer=
    [[ -z ${1-} ]] && return
    sleep "$1" &
    box_timer=$!
}

box_forward() {
    local command
    command=$(first_child "$box_job")
    if ((box_signal)) || [[ -z $command ]]; then
        box_set_timer 0
    else
        kill -s "$1" "$command" 2>/dev/null
        box_set_timer 10
    fi
    box_signal=$2
}

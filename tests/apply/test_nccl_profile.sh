#!/bin/bash
# `hiersearch profile` in front of programs of NCCL that know nothing of it, with the stand-in for NCCL and CUDA: what it
# counts is what they call, they end as without it, a kill loses little; every name of the real NCCLs is wrapped or left
# alone. TAP on stdout.
#     tests/apply/test_nccl_profile.sh BUILD         after: make nccl-programs
#     tests/apply/test_nccl_profile.sh BUILD rccl    the names of RCCL, and the programs as those of RCCL and HIP
# The real NCCLs are those of tests/nccl/test_versions.sh, where they are; a real RCCL that of $ROCM_PATH (/opt/rocm).
# $CUDA_HOME, $NCCL_HOME: the headers.
set -u
(($# == 1 || $# == 2)) || { echo "usage: test_nccl_profile.sh BUILD [nccl|rccl]" >&2; exit 2; }
build=$(realpath "$1") here=$(cd "$(dirname "$0")" && pwd -P) vendor=${2:-nccl}
# shellcheck source=tests/apply/nccl_ranks.sh
. "$here/nccl_ranks.sh"
built_for "$vendor"
called_as=NCCL
[ "$vendor" = nccl ] || called_as=RCCL tap_before="RCCL: "
# holds FILE EXPRESSION: Python about the profile p and its calls by (call, type, ranks, stride): c.
holds() {
    "${PYTHON3:-/usr/bin/python3}" - "$1" "$2" >>out 2>&1 <<'END'
import json, sys
p = json.load(open(sys.argv[1]))
c = {(x["call"], x.get("datatype", ""), x["group_ranks"], x.get("group_stride", 0)): x for x in p["calls"]}
if not eval("(" + sys.argv[2] + ")"):
    sys.exit(f"{sys.argv[2]}: {p}")
END
}
is_valid() {
    "${PYTHON3:-/usr/bin/python3}" - "$1" "$here/../../docs/profile.schema.json" >>out 2>&1 <<'END'
import json, sys, jsonschema
jsonschema.validate(json.load(open(sys.argv[1])), json.load(open(sys.argv[2])))
END
}
# profile FILE: of what ranks left; sets status.
profile() {
    "$hiersearch" profile --read "$1.ranks" -o "$1" >out 2>err
    status=$?
}

# ---- every name of NCCL ----
names() { # names LIBRARY: those that it shows, the doubles with a p left out
    nm -D --defined-only "$1" | awk '{ print $3 }' | sed 's/@.*//' | sort >names.all
    while read -r name; do
        [[ $name = pnccl* ]] && grep -qx "${name#p}" names.all || echo "$name"
    done <names.all
}
sed -n 's/^wrapped //p' "$here/nccl_symbols.txt" "$here/rccl_symbols.txt" | sort >wrapped
sed -nE 's/^(wrapped|alone) //p' "$here/nccl_symbols.txt" "$here/rccl_symbols.txt" | sort >decided
names "$library" | grep -vx hs_nccl_write >ours # for the other interposer
check "it defines what nccl_symbols.txt and rccl_symbols.txt say is wrapped, and nothing else" 'cmp wrapped ours >out 2>&1 && [ "$(wc -l <ours)" -ge 20 ]'
check "no name stands there twice" '[ -z "$(uniq -d decided)" ]'
check "it needs nothing but libc" '! readelf -dW "$library" | grep NEEDED | grep -vE "lib(c|m|dl|pthread)\.so|ld-linux" >out'
# matches SENTENCE FILE FLAG...: compiling the file, which compares with a header, is the test.
matches() {
    "${CC:-cc}" -std=c11 -I"$source/src" "${@:3}" -Wall -Wextra -Werror -fsyntax-only "$here/$2" >out 2>&1
    status=$?
    check "$1" '[ $status = 0 ]'
}
folders=("$nccl" "$build"/nccl/*) rocm=${ROCM_PATH:-/opt/rocm}
if [ "$vendor" = rccl ]; then
    folders=()
    if [ -e "$rocm/lib/librccl.so.1" ]; then
        names "$rocm/lib/librccl.so.1" | grep -v '^_Z' >theirs
        comm -13 decided theirs >out
        check "each of the $(wc -l <theirs) names of $rocm/lib/librccl.so.1 is wrapped or left alone by decision" '[ ! -s out ] && grep -qx ncclAllReduce theirs'
    else
        skip "each name of a librccl.so.1 is wrapped or left alone by decision" "there is none in $rocm/lib"
    fi
    if [ -e "$rocm/include/rccl/rccl.h" ]; then
        for file in nccl_abi.c nccl_driver_abi.c; do
            matches "its prototypes, types and numbers are those that $file compares" $file -DRCCL -D__HIP_PLATFORM_AMD__ -isystem "$rocm/include"
        done
    else
        skip "its prototypes, types and numbers are those of nccl_abi.h and nccl_driver.h" "there is no rccl.h in $rocm/include/rccl"
    fi
elif [ -e "$cuda/include/cuda.h" ]; then
    matches "the prototypes, types and numbers of CUDA's driver are those of nccl_driver.h" nccl_driver_abi.c -isystem "$cuda/include"
fi
for folder in "${folders[@]}"; do
    [ -e "$folder/lib/libnccl.so.2" ] && [ -e "$folder/include/nccl.h" ] || continue
    version=$(sed -nE 's/^#define NCCL_(MAJOR|MINOR|PATCH) ([0-9]+)/\2/p' "$folder/include/nccl.h" | paste -sd.)
    names "$folder/lib/libnccl.so.2" >theirs
    comm -13 decided theirs >out
    check "NCCL $version: each of its $(wc -l <theirs) names is wrapped or left alone by decision" '[ ! -s out ] && grep -qx ncclAllReduce theirs'
    matches "NCCL $version: its prototypes, types and numbers are those of nccl_abi.h" nccl_abi.c -isystem "$folder/include" -isystem "$cuda/include"
    cat >real.c <<'END'
#include <cuda_runtime.h>
#include <nccl.h>
#include <stdio.h>
int main(void)
{
    ncclComm_t comm = NULL;
    ncclUniqueId id;
    int version = 0;
    ncclResult_t made = ncclGetUniqueId(&id), got = ncclGetVersion(&version);
    ncclResult_t init = ncclCommInitRank(&comm, 1, id, 0), all = ncclCommInitAll(&comm, 1, NULL);
    printf("%d %d %d %d %d %d %d\n", version, made, got, init, all, ncclAllReduce(NULL, NULL, 1, ncclFloat, ncclSum, NULL, 0),
           ncclCommDestroy(NULL));
    return 0;
}
END
    "${CC:-cc}" -o real real.c -isystem "$folder/include" -isystem "$cuda/include" "$folder/lib/libnccl.so.2" \
        -Wl,-rpath,"$folder/lib" >out 2>&1 && timeout 180 ./real >alone.said 2>&1
    timeout 180 "$hiersearch" profile -o real.json -- ./real >out 2>err
    status=$?
    check "NCCL $version: without a GPU it answers as without us" '[ $status = 0 ] && [ -s out ] && cmp out alone.said && [ ! -s err ]'
done

# ---- everything that is wrapped, with a library that says what came through ----
strict=(-std=gnu11 -Wall -Wextra -Werror -Wno-int-conversion -I"$source/src")
mkdir calls
"${CC:-cc}" "${strict[@]}" -DLIBRARY -shared -fPIC -Wl,-soname,libnccl.so.2 -o calls/libnccl.so.2 "$here/nccl_calls.c" >out 2>&1 &&
    "${CC:-cc}" "${strict[@]}" -O0 -o calls/calls "$here/nccl_calls.c" calls/libnccl.so.2 -Wl,-rpath,"$scratch/calls" >>out 2>&1
"$hiersearch" profile -o calls.json -- calls/calls >through 2>err
status=$?
sed -n 's/^through //p' through | sort -u >came
check "every function that is wrapped passes its arguments on, and what it answers back" '[ $status = 0 ] && ! grep -v "^through" through && cmp came wrapped'
HIERSEARCH_NCCL_PLANS=$'ranks 4\nrule allreduce 4:1 0 2x2\n' LD_PRELOAD=$library calls/calls >through 2>err
status=$?
sed -n 's/^through //p' through | sort -u >came
check "so does it with plans, where communicators cannot be split" '[ $status = 0 ] && ! grep -v "^through" through && cmp came wrapped'
profile calls.json
check "each was counted once where it succeeded, with a configuration or without, by the sizes of its communicator" 'is_valid calls.json && holds calls.json "
    {k: (v[\"calls\"], v[\"bytes\"]) for k, v in c.items() if k[2] == 2} == {(\"nccl\" + n, \"float32\", 2, 2): (2 * t, 2 * t * k * 4 * (2**33 + 1)) for n, (k, t) in
    dict(AllReduce=(1, 2), ReduceScatter=(2, 2), AllGather=(2, 2), AlltoAll=(2, 3), Broadcast=(1, 2), Bcast=(1, 1), Reduce=(1, 2), Gather=(1, 2), Scatter=(1, 2),
    Send=(1, 1), Recv=(1, 1), AllReduceWithBias=(1, 1), AlltoAllv=(1, 2)).items()}" # two of these have two names'
check "communicators of all makers are known" 'holds calls.json "
    {k: (v[\"calls\"], v[\"bytes\"]) for k, v in c.items() if k[2] != 2} == {(\"ncclAllReduce\", \"bfloat16\", 1, 1): (1, 2),
    (\"ncclAllGather\", \"float8e4m3\", 1, 1): (1, 1), (\"ncclAllGather\", \"float8e5m2\", 3, 0): (1, 3), (\"ncclReduce\", \"float64\", 4, 0): (1, 8),
    (\"ncclReduce\", \"float64\", 5, 0): (1, 8), (\"ncclReduce\", \"float64\", 6, 0): (1, 8)} and
    c[\"ncclAllReduce\", \"bfloat16\", 1, 1][\"operation\"] == \"user\" and c[\"ncclReduce\", \"float64\", 4, 0][\"operation\"] == \"product\""'

# ---- programs ----
if [ ! -e "$standin" ] || ! "${CC:-cc}" "${flags[@]}" -o job "$here/nccl_job.c" "${links[@]}" >out 2>&1; then
    skip "programs with the stand-in for NCCL" "no nccl.h, or no stand-in"
    echo "1..$number"
    exit $failed
fi
called='{k: (v["calls"], v["bytes"]) for k, v in c.items()} == {
    ("ncclAllReduce", "float32", 4, 1): (28, 28 * 4000), ("ncclAllReduce", "float16", 4, 1): (4, 8000), ("ncclAllReduce", "float32", 2, 1): (4, 16000),
    ("ncclBroadcast", "float32", 4, 1): (4, 16000), ("ncclBcast", "float32", 4, 1): (4, 16000), ("ncclSend", "float32", 4, 1): (4, 16000),
    ("ncclRecv", "float32", 4, 1): (4, 16000), ("ncclReduceScatter", "bfloat16", 2, 1): (4, 16000),
    ("ncclAllGather", "float64", 2, -2): (12, 12 * 16000)}'
ranks 4 ./job
check "the program ends well by itself" '[ "$statuses" = "0 0 0 0 " ]'
ranks 4 "$hiersearch" profile -o p.json -- ./job
check "and with the profile, saying nothing" '[ "$statuses" = "0 0 0 0 " ] && [ -z "$(cat ./*.said)" ]'
check "each process leaves its counts" '[ "$(ls p.json.ranks | wc -l)" = 4 ] && [ ! -e p.json ]'
profile p.json
check "of which a profile is made, by its schema; the counts stay" '[ $status = 0 ] && is_valid p.json && [ "$(ls p.json.ranks | wc -l)" = 4 ]'
check "it has exactly what was called, of all communicators" 'holds p.json "$called"'
check "groups of different ranks are told apart" 'holds p.json "c[\"ncclReduceScatter\", \"bfloat16\", 2, 1][\"groups\"] == 2 and
    c[\"ncclAllGather\", \"float64\", 2, -2][\"groups\"] == 2 and c[\"ncclAllReduce\", \"float32\", 4, 1][\"groups\"] == 1"'
check "ranks, order, library, operations and end are told" 'holds p.json "p[\"ranks\"] == 4 and p[\"finished\"] and p[\"nodes\"][0][\"ranks\"] == 4 and
    \"environment\" in p[\"rank_order\"] and p[\"library\"].startswith(\"$called_as 2.\") and p[\"command\"] == \"./job\" and
    c[\"ncclReduceScatter\", \"bfloat16\", 2, 1][\"operation\"] == \"average\""'
check "times are those of beginning, and nothing was waited for" 'holds p.json "all(v[\"begun\"] and \"waited_seconds\" not in v and
    v[\"seconds\"] > 0 for v in c.values())" && grep -q "how long GPUs took is not known" out && ! grep -q "^collectives" out'
export JOB_HIDES_RANK=1
ranks 4 "$hiersearch" profile -o hidden.json -- ./job
unset JOB_HIDES_RANK
profile hidden.json
check "where nobody says which rank a process is, the largest communicator does" 'holds hidden.json "$called and \"communicator\" in p[\"rank_order\"]"'

ranks 4 ./job die
alone=$statuses
ranks 4 "$hiersearch" profile -o killed.json -- ./job die
check "kill -9: processes end as without the profile" '[ "$statuses" = "$alone" ] && [[ $statuses = "0 137 0 0 " ]]'
profile killed.json
check "nothing that was called is lost" '[ $status = 0 ] && holds killed.json "$called and not p[\"finished\"]" && grep -q "did not end by itself" out'
check "what is read stays" '[ -e killed.json.ranks ]'
sleep 0.1
ranks 4 "$hiersearch" profile -o killed.json -- ./job
profile killed.json
check "the next run is not mixed with it" '[ $status = 0 ] && holds killed.json "$called and p[\"finished\"]"'

# As PyTorch has it: Python loads a library for itself alone, and NCCL with it.
"${CC:-cc}" "${flags[@]}" -shared -fPIC -o job.so "$here/nccl_job.c" "${links[@]}" >out 2>&1
ranks 4 "$hiersearch" profile -o python.json -- "${PYTHON3:-/usr/bin/python3}" -c "import ctypes; ctypes.CDLL('$scratch/job.so').main(1, None)"
profile python.json
check "an NCCL in nobody's scope but its user's is found" '[ "$statuses" = "0 0 0 0 " ] && holds python.json "$called"'

# Another one beside, by another name, as the dynamic linker takes one library of a name: each caller gets the one that it is
# linked with.
cat >two.py <<'END'
import ctypes, subprocess, sys
other = ctypes.CDLL(sys.argv[2])
assert other.main() == 0
ctypes.CDLL(sys.argv[1]).main(1, None)
END
"${CC:-cc}" "${strict[@]}" -DLIBRARY -shared -fPIC -Wl,-soname,libother.so.2 -o calls/libother.so.2 "$here/nccl_calls.c" >out 2>&1 &&
    "${CC:-cc}" "${strict[@]}" -O0 -shared -fPIC -o calls/calls.so "$here/nccl_calls.c" calls/libother.so.2 -Wl,-rpath,"$scratch/calls" >>out 2>&1
ranks 2 env LD_PRELOAD="$library" "${PYTHON3:-/usr/bin/python3}" two.py "$scratch/job.so" "$scratch/calls/calls.so"
check "two NCCLs in one process: each caller gets its own" '[ "$statuses" = "0 0 " ] && ! grep -h -v "^through" ./*.said'

HIERSEARCH_PROFILE_FOLDER=$scratch/nowhere/p.ranks LD_PRELOAD=$library ranks 2 ./job
check "a folder that cannot be made is told, and the program runs" '[ "$statuses" = "0 0 " ] && grep -q "is not counted: .*nowhere" 0.said'
LD_PRELOAD=$library timeout 180 true >out 2>&1
status=$?
check "a program without NCCL is left alone" '[ $status = 0 ] && [ ! -s out ]'
python=$build/clients/venv/bin/python
if [ -x "$python" ]; then
    timeout 300 "$hiersearch" profile -o torch.json -- "$python" -c 'import torch; print(torch.ones(3).sum().item())' >out 2>err
    status=$?
    check "PyTorch is imported with it" '[ $status = 0 ] && grep -qx 3.0 out'
else
    skip "PyTorch is imported with it" "make check-clients has not installed it"
fi
finish

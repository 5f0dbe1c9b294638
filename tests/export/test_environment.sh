#!/bin/bash
# Exported environment for a library that no Debian has: UCC. The shell reads the file, a reader of our own
# checks it by the rules of UCC's sources (docs/export.md says how those were checked).
# TAP on stdout.
# shellcheck disable=SC2016,SC2034,SC2154,SC1091 # conditions are for eval; tap.sh sets the rest
. "$(dirname "$0")/tap.sh"
python=${PYTHON3:-python3}

# What a shell that sources the file has in its environment.
source_file() { env -i /bin/sh -c "set -a; . ./$1; env" | grep -E '^UCC_'; }
# means FILE ANSWER...
means() {
    local file=$1
    shift
    source_file "$file" >variables
    "$python" "$here/env_check.py" variables "$@" >found 2>&1
}

# ---- UCC. 4x8x2 becomes 4x16, which wins at 53834 bytes (test_ompi.sh); flat before, UCC's own below 4 KiB ----
export_result asymmetric64 ucc ucc.env
check "UCC runs split_rail for 4x16, not where the flat split is best, and nothing of cl/hier below" \
    'means ucc.env 0=off 4095=off 4096=off 53833=off 53834=split_rail 67108864=split_rail' found
check "what two layers cost instead of 4x8x2 is in the file and on stderr" \
    'says ucc.env "4x8x2 for 64MiB becomes 4x16, 1.400 times as long" &&
     says ucc.env.notes "4x8x2 for 64MiB becomes 4x16, 1.400 times as long"' ucc.env.notes
export_result small12 ucc small.env
check "the node is the inner layer: 3x2x2 becomes 3x4 and not 6x2" \
    'means small.env 4096=off 24575=off 24576=split_rail &&
     says small.env.notes "3x2x2 for 1MiB becomes 3x4, 1.333 times as long"' small.env.notes
export_result small12 ucc flat.env --plan 12
check "a flat plan is UCC without cl/hier" 'means flat.env 4096=own 67108864=own' found
sed 's/@split_rail/@nosuch/' ucc.env >wrong.env
sed 's/53834-/53833-/' ucc.env >overlap.env
sed 's/,bcast//' ucc.env >bcast.env
check "the check refuses an algorithm that is none, ranges that overlap, and a broadcast by cl/hier" \
    '! means wrong.env && ! means overlap.env && ! means bcast.env' found
# 4x16 and MPI_Allreduce are equal at 126976 and 6130137 bytes (test_size_rules.c).
export_result library64 ucc library.env
check "where the library was measured faster cl/hier has nothing, and that is said" \
    'means library.env 126975=off 126976=split_rail 6130136=split_rail 6130137=off &&
     says library.env "# from 6130137 bytes: the library'"'"'s default call" &&
     says library.env "MPI_Allreduce is 5 times faster than the plan at 64MiB (measured): keep the library" &&
     says library.env.notes "MPI_Allreduce is 5 times faster than the plan at 64MiB (measured): keep the library"' found

# ---- what is common ----
predicted='nvlink:4@150GB/s~0.5us,rack:8@25GB/s~2us,spine@96GB/s~5us'
"$programs/hiersearch" predict "$predicted" --np 64 --size 64MiB --quiet --json >predicted.json
"$programs/hiersearch" export predicted.json --to ucc -o guess.env >/dev/null 2>guess.notes
check "a node that was not measured is said to be the system's first level" \
    'says guess.env "a node is taken to hold 4 processes" && says guess.notes "a node is taken to hold 4"' guess.env
for format in ucc mpich ompi-han ompi-tuned nccl-env nccl-tuner; do
    long=$(printf 'x%.0s' {1..200})$(printf 'y%.0s' {1..50}).json
    cp predicted.json "$long"
    "$programs/hiersearch" export "$long" --to $format -o long.out --plan 4x8x2 >/dev/null 2>long.notes
    check "$format begins with a comment that names version, result and plan, in lines of at most 240 bytes" \
        'head -n 1 long.out | grep -q "^# made by hiersearch .* from x" && grep -q "^# .*4x8x2" long.out &&
         ! LC_ALL=C grep -qE "^#.{240}" long.out' long.out
done
check "a result without a best plan is refused by each, and nothing is written" \
    'for format in ucc mpich ompi-han ompi-tuned ompi-tuned-json nccl-env nccl-tuner; do
         "$python" "$here/without_best.py" predicted.json >none.json
         ! "$programs/hiersearch" export none.json --to $format -o none.out 2>none.err || break
         grep -q "no best plan for 64MiB" none.err && [[ ! -e none.out && $(wc -l <none.err) == 1 ]] || break
     done; [[ $format == nccl-tuner ]] && grep -q "no best plan" none.err' none.err
finish

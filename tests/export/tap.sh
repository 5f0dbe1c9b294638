# shellcheck shell=bash
# What the tests of exported files by shell share: a scratch folder, TAP, and the built program.
#     . "$(dirname "$0")/tap.sh"; ...; finish
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
programs=$(realpath -m "${BUILD:-$here/../../build}")
results=$here/results
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM
cd "$scratch" || exit 1

# shellcheck source=tests/tap.sh
. "$here/../tap.sh"

# need TOOL...: ends the test where one is missing.
need() {
    local tool
    for tool; do
        command -v "$tool" >/dev/null || { echo "1..0 # SKIP no $tool"; exit 0; }
    done
}

# export_result NAME FORMAT FILE [OPTION...]: results/NAME.json as FILE, notes in FILE.notes.
export_result() {
    local name=$1 format=$2 file=$3
    shift 3
    "$programs/hiersearch" export "$results/$name.json" --to "$format" -o "$file" "$@" \
        >/dev/null 2>"$file.notes"
}

# says FILE TEXT: the file has the text, on a line, as it is.
says() { grep -qF -- "$2" "$1"; }

bail() {
    echo "Bail out! $1"
    exit 1
}

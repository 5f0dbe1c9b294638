#!/bin/bash
# The Python package as a stranger gets it: the wheel in a fresh virtual environment, without a compiler and without root. TAP on stdout.
#     python/tests/run.sh BUILD quick      the package, its types, the notebook
#     python/tests/run.sh BUILD full       and what is built on the user's machine: `pip install .`, `hiersearch build-measure`
#     python/tests/run.sh BUILD torch      hiersearch.torch on gloo, with the PyTorch of tests/clients/run.sh
set -u
build=$(realpath "${1:?the build folder}")
parts=${2:?quick, full or torch}
cd "$(dirname "$0")/../.." || exit 1
src=$PWD
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# shellcheck source=tests/tap.sh
. tests/tap.sh
tap_before='python: '
unset MAKEFLAGS MFLAGS

wheel() { make -s BUILD="$build" wheel; }
python=$(command -v "${PYTHON3:-/usr/bin/python3}")
"$python" -m venv "$scratch/reach"
if ! "$scratch/reach/bin/pip" download --quiet --no-deps --dest "$scratch/reach" cffi >&2; then
    echo '1..0 # SKIP pip cannot reach the package index'
    exit 0
fi
clients=${HS_CLIENTS_PYTHON:-$build/clients/venv/bin/python}
if [ "$parts" = torch ] && ! site=$("$clients" -c 'import pathlib, torch; print(pathlib.Path(torch.__file__).parents[1])'); then
    echo '1..0 # SKIP there is no PyTorch in the environment of tests/clients/run.sh'
    exit 0
fi
step 'make wheel makes one' wheel
whl=$(ls "$build"/wheels/hiersearch-*.whl)
# shellcheck disable=SC2016 # for eval
check 'its tag is of manylinux, for any Python 3' '[[ $whl == *-py3-none-manylinux_2_*_"$(uname -m)".whl ]]'

# ---- a user who has Python and no compiler ---------------------------------------------------------------------------
mkdir "$scratch/bin" "$scratch/user"
ln -s "$python" "$scratch/bin/python3"
cp -r --parents "$whl" "$scratch"
cp -r --parents python/tests python/notebooks pyproject.toml docs/python.md tests/record/logs tests/detect/topologies tests/golden/fit tests/golden/profile \
    tests/golden/predict/job-measured.json tests/estimate/calibrated.json tests/answer/data "$scratch/user"
whl=$scratch$whl
drop=()
if [ "$(id -u)" = 0 ]; then
    chmod 755 "$scratch"
    chown -R 65534:65534 "$scratch/user"
    drop=(setpriv --reuid=65534 --regid=65534 --clear-groups)
    # Where TMPDIR is root's alone there is nobody else to be.
    "${drop[@]}" test -x "$scratch/user" || drop=()
fi
mapfile -t index < <(env | grep -E '^(PIP_|https?_proxy|no_proxy|HTTPS?_PROXY|SSL_CERT_)[A-Za-z_]*=')
# user COMMAND...: in a folder of the user's.
user() {
    env -C "$scratch/user" "${drop[@]}" env -i HOME="$scratch/user" LC_ALL=C.UTF-8 MPLBACKEND=agg TMPDIR="$scratch/user" IPYTHONDIR="$scratch/user/ipython" \
        PATH="$scratch/user/venv/bin:$scratch/bin${more_path:-}" "${index[@]}" "$@"
}
step 'a virtual environment without root' user python3 -m venv "$scratch/user/venv"
empty 'no compiler is to be found in it' "$(user python3 -c 'import shutil; print(*filter(None, map(shutil.which, ("cc", "gcc", "clang", "make"))))')"
# pytests FILE...: each of their tests is one of ours.
pytests() {
    local line
    user python3 -m pytest -q -p no:cacheprovider --tap "$@" 3>"$scratch/user/tap" >"$scratch/log" 2>&1
    while IFS= read -r line; do
        case $line in
        'ok '*) echo "ok $((number += 1)) - ${line#* - }" ;;
        'not ok '*) echo "not ok $((number += 1)) - ${line#* - }" && failed=1 ;;
        '#'*) echo "$line" ;;
        esac
    done <"$scratch/user/tap"
    # shellcheck disable=SC2016
    check "the tests of $1 came to their end" 'grep -q "^1\.\.[1-9]" "$scratch/user/tap"' "$scratch/log"
}

if [ "$parts" = torch ]; then
    step 'the wheel is installed' user pip install --quiet "$whl"
    step 'and pytest' user pip install --quiet pytest
    echo "$site" >"$scratch/user/clients.pth"
    # Where the user may not look into the build folder, we are the user.
    user test -r "$site/torch/__init__.py" 2>/dev/null || user python3 -c "open('$site/torch/__init__.py')" 2>/dev/null || drop=()
    mv "$scratch/user/clients.pth" "$(user python3 -c 'import site; print(site.getsitepackages()[0])')"
    pytests python/tests/test_torch.py
    finish
    exit
fi

step 'what the tests need is installed' user pip install --quiet -r python/tests/requirements.txt
step 'the wheel is installed' user pip install --quiet --only-binary :all: "${whl}[all]"
step 'its program is the one of the tree' diff <(user hiersearch predict abci --np 128) <("$build/hiersearch" predict abci --np 128)
step 'no word and no module of it is newer than Python 3.9' user vermin --quiet --no-tips --violations -t=3.9- \
    "$(user python3 -c 'import os, hiersearch; print(os.path.dirname(hiersearch.__file__))')"
step 'mypy --strict finds nothing in the package' user mypy --strict --python-version 3.10 -p hiersearch
grep -n '# wrong$' python/tests/typed.py | cut -d: -f1 >"$scratch/wrong"
user mypy --strict python/tests/typed.py >"$scratch/typed"
sed -n 's/.*typed\.py:\([0-9]*\): error.*/\1/p' "$scratch/typed" | sort -nu >"$scratch/found"
# shellcheck disable=SC2016
check 'and in a program that uses it what is wrong, nothing else' 'diff "$scratch/wrong" "$scratch/found"' "$scratch/typed"
step 'the notebook runs' user python3 python/tests/run_notebook.py python/notebooks/tour.ipynb tour.ipynb
pytests python/tests/test_*.py

# ---- built on the user's machine -----------------------------------------------------------------------------------
if [ "$parts" = full ]; then
    mpi=${MPI:-mpich}
    more_path=:/usr/bin:/bin
    smpicc=$(command -v smpicc)
    step 'build-measure builds with the MPI that is here' user hiersearch build-measure --mpicc "mpicc.$mpi" ${smpicc:+--smpicc "$smpicc"} --jobs 2
    launch() { user timeout 60 tests/runner/launch.sh "$mpi" "$@"; }
    cp -r --parents tests/runner/launch.sh tests/bin tests/apply/job.c "$scratch/user"
    step 'then measure runs' launch 2 hiersearch measure 'node:2@5GB/s~1us' --size 64KiB --plans 2 --budget 2s --backend host -o measured.json
    step 'and its result is read' user python3 -c 'import hiersearch as hs; assert hs.read("measured.json").measured'
    user "mpicc.$mpi" -o app tests/apply/job.c
    step 'profile counts what a program calls' launch 2 hiersearch profile -o job.json -- ./app
    step 'and its profile is read' user python3 -c 'import hiersearch as hs; assert hs.read_profile("job.json").document.ranks == 2'
    if [ -n "$smpicc" ]; then
        step 'and SimGrid simulates' user timeout 60 hiersearch simulate abci --np 8 --size 64KiB 2x4
    else
        skip 'and SimGrid simulates' 'there is no SimGrid'
    fi
    # The other way: those of an installed tree.
    rm -f "$scratch"/user/venv/lib/python3*/site-packages/hiersearch/tree/lib*/hiersearch/{hiersearch-measure,libhiersearch-mpi.so}
    step 'an installed tree' make -s BUILD="$build" DESTDIR="$scratch/installed" PREFIX=/ install
    step 'has them, too' user hiersearch build-measure --from "$scratch/installed"
    step 'and they are the same to hiersearch' launch 2 hiersearch measure 'node:2@5GB/s~1us' --size 64KiB --plans 2 --budget 2s --backend host
    # From a clone, with its compiler.
    step 'pip install . in a clone' env BUILD="$build" "$scratch/reach/bin/pip" install --quiet "$src"
    step 'is the same package' "$scratch/reach/bin/python" -c \
        'import hiersearch as hs; assert hs.predict("abci", np=128).best.plan and "site-packages" in hs.__file__'
    step 'pip install -e . in it' env BUILD="$build" "$scratch/reach/bin/pip" install --quiet -e "$src"
    step 'has the modules of the clone' "$scratch/reach/bin/python" -c \
        "import hiersearch as hs, os; assert hs.predict('abci', np=128).best.plan and os.path.realpath(hs.__file__) == '$src/python/hiersearch/__init__.py'"
    step 'and the program' "$scratch/reach/bin/hiersearch" systems --names
    step 'a source distribution has what git has' "$scratch/reach/bin/python" -c "
import subprocess, sys, tarfile; sys.path.insert(0, 'python'); import backend
name = backend.build_sdist('$scratch')
with tarfile.open('$scratch/' + name) as tar: found = {one.partition('/')[2] for one in tar.getnames()}
listed = set(subprocess.check_output(['git', 'ls-files'], text=True).splitlines())
assert listed <= found, listed - found"
fi
finish

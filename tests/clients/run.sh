#!/bin/bash
# Runs what was exported for PyTorch and JAX with PyTorch and JAX (CPU only). TAP on stdout.
#     BUILD=build tests/clients/run.sh
# The clients go into $BUILD/clients/venv, once. HS_CLIENTS_PYTHON=PYTHON uses one that has them
# already; HS_CLIENTS_PACKAGES="torch==2.2.2 numpy<2" installs others (remove the folder before).
set -u
here=$(cd "$(dirname "$0")" && pwd)
folder=${BUILD:-build}/clients
venv=$folder/venv

install() {
    local packages
    read -ra packages <<<"${HS_CLIENTS_PACKAGES:-}"
    ((${#packages[@]})) || packages=(-r "$here/requirements.txt")
    rm -rf "$venv"
    mkdir -p "$folder" &&
        "${PYTHON3:-python3}" -m venv "$venv" &&
        "$venv/bin/pip" install --quiet --no-cache-dir --disable-pip-version-check \
            "${packages[@]}" &&
        touch "$venv/complete"
}

python=${HS_CLIENTS_PYTHON:-$venv/bin/python}
if [ -z "${HS_CLIENTS_PYTHON:-}" ] && ! [ -e "$venv/complete" ] && ! install >&2; then
    echo "1..0 # SKIP pip cannot install PyTorch and JAX"
    exit 0
fi
status=0
for test in test_pytorch.py test_pytorch_blocks.py test_pytorch_trees.py test_pytorch_fsdp.py test_pytorch_model.py \
    test_inductor.py test_jax.py; do
    "$python" "$here/$test" || status=1
done
exit "$status"

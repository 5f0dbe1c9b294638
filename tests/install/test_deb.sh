#!/bin/bash
# The Debian package: made, looked at, unpacked and used. With HS_TEST_DPKG=1 and as root it is really installed, and
# removed again. Prints TAP. usage: tests/install/test_deb.sh BUILD
set -u
build=$(realpath "${1:?the build folder}")
cd "$(dirname "$0")/../.." || exit 1
src=$PWD
scratch=$(mktemp -d)
installed=''
# shellcheck disable=SC2317 # called by trap
clean_up() {
    [ -z "$installed" ] || dpkg --purge hiersearch >/dev/null 2>&1
    rm -rf "$scratch"
}
trap clean_up EXIT
# shellcheck source=tests/tap.sh
. tests/tap.sh
unset MAKEFLAGS MFLAGS

if ! command -v dpkg-deb >/dev/null; then
    echo '1..0 # SKIP there is no dpkg-deb'
    exit 0
fi
without=$(make -s BUILD="$build" PYTHON3=false PYTHON_TOOLS="$scratch/none" deb 2>"$scratch/made")
without_python() {
    [ "$(wc -l <"$scratch/made")" = 1 ] && grep -q '^make deb: without the Python package: ' "$scratch/made" &&
        ! dpkg-deb -c "$without" | grep dist-packages && ! dpkg-deb -f "$without" Recommends Suggests | grep python
}
step 'where no cffi can be had it is made without the Python package, and one line says so' without_python
if ! package=$(make -s BUILD="$build" deb 2>"$scratch/made"); then
    not_ok 'make deb' <"$scratch/made"
    finish
    exit 1
fi
ok 'make deb'
cp "$package" "$scratch/first.deb"
make -s BUILD="$build" deb >/dev/null 2>&1
step 'made again, the package is the same to the byte' cmp "$package" "$scratch/first.deb"

control() { dpkg-deb -f "$package" "$1"; }
step 'its version begins with that of VERSION' grep -q "^$(cat VERSION)\([+].*\)\?$" <(control Version)
step 'its version is one to Debian' dpkg --validate-version "$(control Version)"
step 'it depends on the libraries of the main program' grep -q 'libgsl[0-9].*' <(control Depends)
step 'it does not depend on an MPI' grep -qvi 'mpi' <(control Depends)
if [ -x "$build/hiersearch-measure" ]; then
    step 'it recommends the MPI that the measuring program is linked with' grep -qE 'mpich|openmpi-bin' <(control Recommends)
fi
empty 'all lies below /usr' "$(dpkg-deb -c "$package" | awk '{ print $6 }' | grep -v '^\./\(usr/.*\)\?$')"
empty 'all belongs to root' "$(dpkg-deb -c "$package" | grep -v ' root/root ')"

dpkg -x "$package" "$scratch/root"
dpkg-deb -e "$package" "$scratch/control"
step 'its md5sums are right' sh -c "cd '$scratch/root' && md5sum --quiet -c '$scratch/control/md5sums'"
empty 'no file of it names the source tree or the build folder' \
    "$(cd "$scratch/root" && grep -rlaF -e "$src" -e "$build" .)"
hs() { env -i PATH="$scratch/root/usr/bin:/usr/bin:/bin" hiersearch "$@"; }
step 'unpacked anywhere it finds the shipped systems' hs predict abci --np 128
if command -v lowdown >/dev/null; then
    step 'there is a manual page for every command' diff <(hs help --names | sort) \
        <(find "$scratch/root/usr/share/man/man1" -name 'hiersearch-*' | sed 's/.*hiersearch-//; s/\.1\.gz$//' | sort)
else
    skip 'there is a manual page for every command' 'there is no lowdown'
fi
# python3 PATHS COMMAND...: Debian's own, with what it has of cffi and nothing of the user's.
debian_python() { env -i PATH="$1:/usr/bin:/bin" "${@:2}"; }
ask=(/usr/bin/python3 -B -c 'import hiersearch as hs; print(hs.predict("abci", np=16, size="1MiB").best)')
best=$(hs predict abci --np 16 --size 1MiB --format csv | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "plan") at = i } NR == 2 { print $at }')
packages=$scratch/root/usr/lib/python3/dist-packages
if [ ! -d "$packages" ]; then
    skip 'its Python package works' "$(grep 'without the Python package' "$scratch/made")"
elif ! /usr/bin/python3 -c 'import _cffi_backend' 2>/dev/null; then
    skip 'its Python package works' 'there is no python3-cffi-backend'
else
    library=$(dirname "$(find "$scratch/root/usr/lib" -name libhiersearch.so.1)")
    said=$(debian_python "$scratch/root/usr/bin" PYTHONPATH="$packages" LD_LIBRARY_PATH="$library" "${ask[@]}" 2>&1)
    step 'its Python package says what the program says' grep -qF "Best(plan='$best'," <<<"$said"
    is 'and has the version of the program' "$(cat VERSION)" "$(debian_python "$scratch/root/usr/bin" PYTHONPATH="$packages" \
        /usr/bin/python3 -B -c 'import importlib.metadata as m; print(m.version("hiersearch"))' 2>&1)"
fi
empty 'it has no byte code, and no second tree' "$(dpkg-deb -c "$package" | grep -E 'pycache|\.pyc|dist-packages/hiersearch/tree')"
step 'the library is found where it lies' env TREE="$scratch/root/usr" tests/install/test_examples.sh "$build"
if command -v lintian >/dev/null; then
    # Nobody answers for a package that is made for oneself.
    empty 'lintian finds nothing wrong' "$(LC_ALL=C lintian "$package" 2>/dev/null | grep -v ': bogus-mail-host')"
else
    skip 'lintian finds nothing wrong' 'there is no lintian'
fi

if [ "${HS_TEST_DPKG:-0}" = 1 ] && [ "$(id -u)" = 0 ] && ! dpkg -s hiersearch >/dev/null 2>&1; then
    installed=yes
    step 'dpkg installs it' dpkg -i "$package"
    step 'it runs' env -i PATH=/usr/bin:/bin hiersearch predict abci --np 128
    if [ -d "$packages" ] && /usr/bin/python3 -c 'import _cffi_backend' 2>/dev/null; then
        step 'Python finds it' grep -qF "Best(plan='$best'," <(debian_python /usr/bin "${ask[@]}" 2>&1)
    fi
    step 'dpkg removes it' dpkg --purge hiersearch
    installed=''
    empty 'and nothing is left' "$(ls -d /usr/bin/hiersearch /usr/libexec/hiersearch /usr/share/hiersearch \
        /usr/share/doc/hiersearch /usr/include/hiersearch.h /usr/lib/python3/dist-packages/hiersearch* 2>/dev/null)"
else
    skip 'dpkg installs and removes it' 'without HS_TEST_DPKG=1'
fi
finish

#!/bin/bash
# Runs a command with Debian packages that were unpacked somewhere and not installed: for machines without root.
#     for p in *.deb; do dpkg -x "$p" ROOT; done
#     tests/nccl/in_root.sh ROOT make HAVE_NCCL=1 NCCL_HOME=... gpu-check
# Which packages of Debian 12 (what is installed may be left out):
#     apt-get download mpich libmpich12 libmpich-dev libucx0 libhwloc15 libhwloc-dev libslurm38 libgfortran5 libquadmath0 \
#         libibverbs1 librdmacm1 libnl-3-200 libnl-route-3-200 libnuma1 libcjson1 libcjson-dev libgsl27 libgslcblas0 \
#         libgsl-dev libglpk40 libglpk-dev libamd2 libcolamd2 libsuitesparseconfig5 libgmp10 libltdl7 \
#         pkgconf pkgconf-bin libpkgconf3
# MPICH's compiler wrapper and launcher, pkg-config's files, headers and libraries of ROOT come before the system's.
set -u
(($# >= 2)) || { echo "usage: in_root.sh ROOT COMMAND [ARGUMENT...]" >&2; exit 2; }
root=$(realpath -e "$1") || exit 2
here=$(cd "$(dirname "$0")" && pwd -P)
shift
lib=$(dirname "$(find "$root/usr/lib" -name 'libmpich.so*' 2>/dev/null | head -1)")
[ -x "$root/usr/bin/mpiexec.mpich" ] ||
    { echo "in_root.sh: no MPICH below $root: unpack mpich, libmpich12 and libmpich-dev there" >&2; exit 2; }

join() { local IFS=:; echo "$*"; }
libraries=("$lib" "$root/lib/${lib##*/}")
export PACKAGE_ROOT=$root
export PATH=$here/root:$root/usr/bin:$PATH
LD_LIBRARY_PATH=$(join "${libraries[@]}" ${LD_LIBRARY_PATH:+"$LD_LIBRARY_PATH"})
CPATH=$(join "$root/usr/include" ${CPATH:+"$CPATH"})
export LD_LIBRARY_PATH CPATH
# Before the system's own, which LIBRARY_PATH would not be.
export LDFLAGS="${libraries[*]/#/-L} ${LDFLAGS:-}"
# What lies below ROOT says that it lies in /usr; what is not there is looked for on the system as always.
PKG_CONFIG_PATH=$(join "$lib/pkgconfig" "$root/usr/share/pkgconfig" ${PKG_CONFIG_PATH:+"$PKG_CONFIG_PATH"})
export PKG_CONFIG_PATH
[ -e "$root/usr/include/hwloc.h" ] && export HAVE_HWLOC=1
exec "$@"

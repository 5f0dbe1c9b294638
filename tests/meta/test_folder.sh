#!/bin/bash
# The tree may lie in a folder of any name. Built is only what the name gets into. `make help` and `make clean` need
# no library, and clean removes nothing but a build folder. Prints TAP.
# shellcheck disable=SC2016,SC2317 # nothing in the names is to be expanded; functions are called as arguments
set -u
top=$(cd "$(dirname "$0")/../.." && pwd -P)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# Nothing of the make that started this.
unset MAKEFLAGS MAKEOVERRIDES MFLAGS MAKELEVEL BUILD

# shellcheck source=tests/tap.sh
. "$top/tests/tap.sh"
leads_here() { [ "$(readlink build/share/hiersearch/configs)" = "$PWD/configs" ] && cat build/share/hiersearch/*/abci.json; }
nothing_ran() { ! find "$scratch" -name PWNED | grep .; }

for name in 'two words' "it's" '$(touch PWNED)' '`touch PWNED`;touch PWNED' '"quoted" & #1'; do
    mkdir "$scratch/$name"
    cd "$scratch/$name" || exit 1
    ln -s "$top"/{Makefile,VERSION,bench,bootstrap,configs,docs,include,packaging,plots,plugins,src,tests} .
    step "in \"$name\" make links configs and plots" make -s build/share/hiersearch/{configs,plots}
    step "in \"$name\" the links lead there" leads_here
    if command -v smpicc >/dev/null; then
        step "in \"$name\" make compiles for SimGrid" make -s build/obj-smpi/base/utf8.o
    fi
    step "in \"$name\" the rules of stage can be read" make -n stage
    step "in \"$name\" bootstrap finds its folder" ./bootstrap --help
    step "in \"$name\" nothing in the name is executed" nothing_ran
done

bare() { PKG_CONFIG_LIBDIR=/nowhere PKG_CONFIG_PATH='' make -s CC=false "$@"; }
helps() { bare help | grep '^targets: all .* clean ' >"$scratch/said"; }
refuses() { ! "$@" 2>"$scratch/said" && [ -e other/kept ]; }
mkdir -p build/gen other && touch build/gen/version.h other/kept
step "make help needs no library" helps
! bare build/hiersearch 2>"$scratch/said"
say $? "what is built does"
step "make clean needs none, and removes the build folder" bare clean
step "where there is none, it is content" bare clean
[ ! -e build ]
say $? "it is gone"
step "another folder is left alone" refuses bare clean BUILD=other
step "and the tree itself" refuses bare clean BUILD=.
finish

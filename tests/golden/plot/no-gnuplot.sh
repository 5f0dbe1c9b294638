# Without gnuplot a plot fails, its numbers can be had, and a report has no pictures.
program=$(command -v hiersearch)
hiersearch predict abci --np 8 -q -o abci.json >abci.txt
mkdir bin
try() { echo "\$ hiersearch $*"; PATH=$PWD/bin "$program" "$@" 2>&1; echo "exit $?"; }
try plot abci.json --kind layers -o x.svg
PATH=$PWD/bin "$program" plot abci.json --kind layers --csv | sed -n 1,2p
try report abci.json -o x.html
grep -c '<svg' x.html
grep -o 'There are no pictures: [^<]*' x.html
# gnuplot that fails, and that says something although it does not.
printf '#!/bin/sh\necho "line 3: no such thing" >&2\nexit 1\n' >bin/gnuplot
chmod +x bin/gnuplot
try plot abci.json --kind layers -o x.svg
printf '#!/bin/sh\nexit 0\n' >bin/gnuplot
try plot abci.json --kind layers -o x.svg
printf '#!/bin/sh\necho picture >"$5"\necho "something is odd" >&2\n' >bin/gnuplot
try plot abci.json --kind layers -o x.svg
cat x.svg
try plot abci.json --kind layers -o - --type svg
HIERSEARCH_PLOTS=$PWD/bin
export HIERSEARCH_PLOTS
try plot abci.json --kind layers -o x.svg

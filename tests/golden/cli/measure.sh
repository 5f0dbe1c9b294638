# `measure` runs the program beside this one, else in libexec, else in PATH; arguments, environment and
# exit status are its own.
mkdir -p bin libexec/hiersearch elsewhere
cp "$(command -v hiersearch)" bin/
echo "none:"
PATH=/usr/bin:/bin bin/hiersearch measure --size 1MiB 2>&1
echo "exit $?"
fake() { printf '#!/bin/sh\necho "%s: $# arguments, last <$3>, $RANK"\nexit 3\n' "$1" >"$2"; chmod +x "$2"; }
fake PATH elsewhere/hiersearch-measure
RANK='rank 7' PATH="$PWD/elsewhere:/usr/bin:/bin" bin/hiersearch measure abci --size '1 MiB'
echo "exit $?"
fake libexec libexec/hiersearch/hiersearch-measure
RANK='rank 7' PATH="$PWD/elsewhere:/usr/bin:/bin" bin/hiersearch measure abci --size '1 MiB'
fake beside bin/hiersearch-measure
RANK='rank 7' PATH="$PWD/elsewhere:/usr/bin:/bin" bin/hiersearch measure abci --size '1 MiB'
RANK='rank 7' bin/hiersearch help measure | sed -n 1,1p

# `calibrate` runs the program that measures, too; without one it says what is missing.
mkdir bin
cp "$(command -v hiersearch)" bin/
PATH=/usr/bin:/bin bin/hiersearch calibrate abci -o here.json
echo "exit $?"
printf '#!/bin/sh\necho "$# arguments, last <$3>"\nexit 3\n' >bin/hiersearch-measure
chmod +x bin/hiersearch-measure
bin/hiersearch calibrate abci -o 'here and there.json'
echo "exit $?"
bin/hiersearch calibrat

# Manual pages of commands: as man reads them, also where the measuring program is not there.
hiersearch help --man report | sed 's/^\(\.TH .* 1\) .*/\1 DATE .../'
mkdir bin && cp "$(command -v hiersearch)" bin/
PATH=/usr/bin:/bin bin/hiersearch help --man measure | sed 1d
PATH=/usr/bin:/bin bin/hiersearch completion bash | sed -n '/^_hiersearch_measure/,/^}/p'
for words in '--man nothing' '--names predict'; do
    hiersearch help $words 2>&1
    echo "exit $?"
done
hiersearch predict --describe=nothing 2>&1
echo "exit $?"

# Commands as Markdown, of which the manual pages are made; those of the measuring program, too, where it is not there.
hiersearch help --markdown report
mkdir bin && cp "$(command -v hiersearch)" bin/
PATH=/usr/bin:/bin bin/hiersearch help --markdown measure | grep -A1 -e '^. NAME' -e '^\*\*.*budget' -e '^\*\*.*size'
PATH=/usr/bin:/bin bin/hiersearch help measure >help
PATH=/usr/bin:/bin bin/hiersearch measure --help | cmp - help
PATH=/usr/bin:/bin bin/hiersearch __complete measure --backend '' | grep -e words -e host
for words in '--markdown nothing' '--names predict'; do
    hiersearch help $words 2>&1
    echo "exit $?"
done

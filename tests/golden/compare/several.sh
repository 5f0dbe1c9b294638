# Three measured files: a row each, growth from one count to the next, and the summary.
cp "$SRC"/tests/answer/data/null*.json .
hiersearch compare null4.json null8.json null16.json
echo "--- noise counted, one plan kept"
hiersearch compare null4.json null8.json null16.json --noise --beam 1
echo "--- with plans"
hiersearch compare null4.json null8.json --plans worst

# Cases, growth and plans as tables for programs; --format json is --json.
cp "$SRC"/tests/answer/data/null*.json .
hiersearch compare null4.json null8.json null16.json --format csv
echo "--- one case"
hiersearch compare null4.json --format csv
echo "--- Markdown"
hiersearch compare null4.json null8.json --format md

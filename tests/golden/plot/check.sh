# A log against what is expected, of check's answer: the numbers, a picture, and what is no such answer.
cp "$SRC/tests/record/logs/nodes.txt" nodes.txt
hiersearch check '8xH100, 8xNDR400' nodes.txt --json >checked.json
hiersearch plot checked.json --kind check --csv
hiersearch plot checked.json --kind check -o checked.svg && grep -c '<svg' checked.svg
hiersearch plot checked.json --kind gain --csv
hiersearch plot nodes.txt --kind check --csv
hiersearch plot checked.json nodes.txt --kind check --csv
hiersearch report checked.json -o report.html
hiersearch check '8xH100, 8xNDR400' checked.json
sed 's/"gdr-off"/"gdr-on"/' checked.json >other.json
hiersearch plot other.json --kind check --csv

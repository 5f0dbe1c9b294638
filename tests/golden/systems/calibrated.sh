# The fits of a calibrated system as a table, in the file, and missing in a line of text.
hiersearch systems "$SRC/tests/estimate/calibrated.json"
hiersearch systems "$SRC/tests/estimate/calibrated.json" --json >again.json
hiersearch systems ./again.json --json | cmp - again.json && echo same
hiersearch systems ./again.json --text
sed 's/"scope": "layer"/"scope": "node"/' "$SRC/tests/estimate/calibrated.json" >bad.json
hiersearch predict ./bad.json --np 16 2>&1
echo $?

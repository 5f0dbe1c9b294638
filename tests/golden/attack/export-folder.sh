# A folder of an export holds files of this one only, and none of them leads elsewhere.
here=node:4@300GB/s~3us,net@25GB/s~5us
for np in 4 8; do
    hiersearch predict $here --np $np -q -o $np.json >/dev/null
done
hiersearch export 8.json --to astra-sim -q -o folder
hiersearch export 8.json --to astra-sim -q -o folder && echo "again the same"
hiersearch export 4.json --to astra-sim -q -o folder
echo "exit $?"
rm -r folder
hiersearch export 4.json --to astra-sim -q -o folder && ls folder
rm folder/memory.json
echo precious >precious
ln -s ../precious folder/memory.json
touch -d 2001-01-01 folder/system.json
hiersearch export 4.json --to astra-sim -q -o folder
echo "exit $?"
cat precious
find folder -name system.json -newermt 2002-01-01

# The numbers of a plot, on stdout and in a file.
hiersearch predict in:2@8GB/s~1us,out@1GB/s~2us --np 4 --size 8MB -q -o two.json >two.txt
# Version and commit are not the same tomorrow.
sed -i '/"git":/d; s/"hiersearch": "[^"]*",*/"hiersearch": "0.1.0"/' two.json
hiersearch plot two.json --kind layers --csv
hiersearch plot two.json --kind layers --csv -o layers.csv
hiersearch plot two.json --kind layers --csv | cmp - layers.csv && echo same

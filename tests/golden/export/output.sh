# -o writes what stdout would have got; a folder gets the file by its name; notes go to stderr.
version() { sed 's/made by hiersearch .* from/made by hiersearch VERSION from/'; }
hiersearch predict 'node:4@300GB/s~3us,net@25GB/s~5us' --np 8 --size 1MiB:4MiB --chunks 1,4 --json -q >result.json
hiersearch export result.json --to msccl --plan 4x2/4 >stdout.xml
hiersearch export - --to msccl --plan 4x2/4 -q -o file.xml <result.json
sed 's/from standard input:/from result.json:/' file.xml | cmp - stdout.xml
mkdir folder
hiersearch export result.json -t msccl -p 4x2 -s 2MiB -q -o folder
hiersearch export result.json -t colors -p 4x2/4 -s 1MiB | version | sed -n 3,5p
ls . folder

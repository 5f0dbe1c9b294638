# All that ship hold; what cannot be true is said with its place, and what was expected.
try() { echo "\$ hiersearch systems --check $*"; hiersearch systems --check "$@" 2>&1; echo "exit $?"; }
try
try abci dgx-h100-superpod '8xH100, 8xNDR400, 32:2' '8xMI300X, 8xRoCE400' 'xbus:2@32GB/s~5us'
hiersearch systems dgx-h100-superpod --json >good.json
sed 's/"bandwidth_GBps": 384/"bandwidth_GBps": 3072/' good.json >bits.json
sed 's/"bandwidth_GBps": 370.8/"bandwidth_GBps": 900/' good.json >both-ways.json
sed 's/"latency_us": 14/"latency_us": 0.014/' good.json >seconds.json
sed 's/"ports": 8/"ports": 64/' good.json >ports.json
try bits.json both-ways.json seconds.json ports.json good.json
try 'nvlink:8@100GB/s~3us,ib:4@960GB/s~2us,spine@50GB/s~14us' --format csv
try abci --format json
try nowhere.json
try abci --names
hiersearch systems abci summit; echo "exit $?"

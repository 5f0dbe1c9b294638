# What a format cannot express is refused, with the limit and the way round it.
try() { echo "\$ hiersearch export $*"; hiersearch export "$@" 2>&1; echo "exit $?"; }
machine='node:8@300GB/s~3us,net@25GB/s~5us'
hiersearch predict "$machine" --np 2048 --json -q >2048.json
hiersearch predict "$machine" --np 1024 --json -q >1024.json
hiersearch predict "$machine" --np 524288 --json -q >524288.json
try 2048.json --to msccl
try 1024.json --to msccl --plan 2x512
try 1024.json --to msccl --plan 1024
try 524288.json --to simgrid -o platform
try 524288.json --to astra-sim -o files
# As measured without a system: nothing that describes the machine.
cat >measured.json <<'END'
{
  "format": "hiersearch.result/2", "command": "hiersearch measure", "created": "2026-01-31T12:00:00Z",
  "backend": "host", "versions": {}, "np": 8, "complete": true,
  "results": [ { "message_bytes": 1048576, "dtype": "float32", "op": "sum",
    "search": { "strategy": "lattice", "splits": 4, "looked_at": 4, "pruned": [] },
    "best": "4x2", "baselines": [],
    "candidates": [ { "plan": "4x2", "measured": { "status": "ok", "median_seconds": 0.001,
      "samples_seconds": [0.001], "wrong_elements": 0 } } ] } ]
}
END
try measured.json --to simgrid -o platform
try measured.json --to astra-sim -o files
sed 's/"status": "ok", "median_seconds": 0.001/"status": "timeout"/; s/"best": "4x2",//' measured.json |
    sed 's/"samples_seconds": \[0.001\], "wrong_elements": 0/"reason": "hung"/' >hung.json
try hung.json --to colors
ls

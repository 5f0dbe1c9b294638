# What a calibration says of a plan stands in the exported file's comment.
hiersearch predict "$SRC/tests/estimate/calibrated.json" --np 16 --size 16MiB:32MiB -q -o r.json >/dev/null
hiersearch export r.json --to nccl-env --size 16MiB | sed -n 3p
hiersearch export r.json --to nccl-env --size 32MiB --plan 16 | sed -n 3p
hiersearch export r.json --to ompi-tuned | sed -n 3p

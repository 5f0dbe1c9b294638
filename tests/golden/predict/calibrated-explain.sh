# Which fit priced each layer, what is extrapolated, and whether the runner-up may be the faster one.
hiersearch predict "$SRC/tests/estimate/calibrated.json" --np 16 --size 16MiB --explain 4x4
echo
hiersearch predict "$SRC/tests/estimate/calibrated.json" --np 64 --size 16MiB --explain 8x2x4

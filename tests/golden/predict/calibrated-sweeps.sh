# Sweeps mark the winners that are extrapolated.
hiersearch predict "$SRC/tests/estimate/calibrated.json" --np 4:64 --size 16MiB
echo
hiersearch predict "$SRC/tests/estimate/calibrated.json" --np 16 --size 64KiB:1GiB
echo
hiersearch predict "$SRC/tests/estimate/calibrated.json" --np 16:64 --size 16MiB:256MiB

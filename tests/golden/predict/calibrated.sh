# A calibrated system (tests/estimate/calibrated.json; test_fit_file.c works its prices out by hand): intervals, and plans
# outside of what was measured. 4x4 of 16 MiB is 1.851 ms with 5.4 %.
hiersearch predict "$SRC/tests/estimate/calibrated.json" --np 16 --size 16MiB
echo
hiersearch predict "$SRC/tests/estimate/calibrated.json" --np 64 --size 256MiB --top 2

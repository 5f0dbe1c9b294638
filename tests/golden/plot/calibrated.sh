# Plots of a calibrated system: intervals, marks, the calibrated curve, and why in the caption.
# By hand, layer 1 with 1 MiB entering: 35.2 us + 2 (1 MiB) 3/4 / 95 GB/s = 51.757 us for 1.5 MiB: 30.39 GB/s, 2 % less and more.
hiersearch predict "$SRC/tests/estimate/calibrated.json" --np 16 --size 16MiB:32MiB -q -o r.json >/dev/null
sed -i '/"git":/d; s/"hiersearch": "[^"]*",*/"hiersearch": "0.1.0"/' r.json
hiersearch plot r.json --kind layers --size 16MiB --csv
hiersearch plot r.json --kind bandwidth --csv | sed -n '/calibrated1/,/^$/p; /named_layers/,$p'
hiersearch plot r.json --kind scaling --size 16MiB --csv | sed -n '/^# interval/,/^$/p'
hiersearch plot r.json --kind system --size 16MiB --csv | sed -n '/^# layers/,/^$/p'

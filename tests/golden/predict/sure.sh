# How sure an answer is: expected times over samples, the share of them in which a plan is best, and what to measure; the same every
# time; nominal with --samples 0, and over the same samples with chunks and by containment.
hiersearch predict summit --np 1024 --size 32MiB -k 3 -q
hiersearch predict summit --np 1024 --size 32MiB -k 3 -q >again
hiersearch predict summit --np 1024 --size 32MiB -k 3 -q | cmp - again
for options in '--samples 0' '--samples 1000' '--chunks 1,2' '--chunks 1' '--search containment' '--search exhaustive'; do
    echo "\$ $options"
    hiersearch predict summit --np 1024 --size 32MiB -k 1 -q $options | sed -n '/^\(Use\|Keep\|Cannot\)/,/^$/p'
done
echo "\$ ties"
hiersearch predict 'net@10GB/s~5us' --np 16 --size 1MiB -k 8 -q | sed -n '/^ *#/,/^$/p'
hiersearch predict 'net@10GB/s~5us' --np 16 --size 1MiB -k 8 -q --format csv | cut -d , -f 3-5
echo "\$ a calibration that leaves no doubt, and one that does"
hiersearch predict abci-fitted --np 4 -q | sed -n '/^\(Use\|Keep\|Cannot\)/,/^$/p'
hiersearch predict abci-fitted --np 128 -q --details | sed -n '/^\(Use\|Keep\|Cannot\)/,/^$/p;/^What decides/p'
echo "\$ ranges in files: not where nothing is sampled"
hiersearch predict summit --np 1024 --size 32MiB -k 2 -q --json | grep 'predicted.*seconds'
for options in 'summit --samples 0' 'summit --chunks 1,2' 'abci-fitted'; do
    hiersearch predict $options --np 128 -k 2 -q --json | grep -c 'predicted_low_seconds'
done
hiersearch predict '8xH100, 8xNDR400, 32:2' --np 512 --size 1MiB --top 1 --details -q
hiersearch predict abci --np 4 --samples 10001

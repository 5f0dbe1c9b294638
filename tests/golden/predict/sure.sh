# How sure an answer is: the plan that loses least over machines that fit the description, the best guess beside it, and
# what to measure; the same every time; as before with --machines 0, with chunks and by containment. A range is of 90 %
# of the machines, so that the time by the figures as they stand lies inside.
hiersearch predict summit --np 1024 --size 32MiB -k 3 -q
hiersearch predict summit --np 1024 --size 32MiB -k 3 -q >again
hiersearch predict summit --np 1024 --size 32MiB -k 3 -q | cmp - again
for options in '--machines 0' '--machines 1000' '--chunks 1,2' '--chunks 1' '--search containment' '--search exhaustive'; do
    echo "\$ $options"
    hiersearch predict summit --np 1024 --size 32MiB -k 1 -q $options | sed -n '/^best/,/^ *reaches/p'
done
echo "\$ ties"
hiersearch predict 'net@10GB/s~5us' --np 16 --size 1MiB -k 8 -q | sed -n '/^rank/,/^$/p'
hiersearch predict 'net@10GB/s~5us' --np 16 --size 1MiB -k 8 -q --format csv | cut -d , -f 3-5
echo "\$ a calibration that leaves no doubt, and one that does"
hiersearch predict abci-fitted --np 4 -q | sed -n '/^best/,/^$/p'
hiersearch predict abci-fitted --np 128 -q | sed -n '/^best/,/^$/p;/^what decides/,$p' | sed '/^published/,$d'
echo "\$ ranges in files: by the figures as they stand, not of a calibration, nor where nothing was drawn"
hiersearch predict summit --np 1024 --size 32MiB -k 2 -q --json | grep 'predicted.*seconds'
for options in 'summit --machines 0' 'summit --chunks 1,2' 'abci-fitted'; do
    hiersearch predict $options --np 128 -k 2 -q --json | grep -c 'predicted_low_seconds'
done
# Two plans that are 1 % apart win both there: that shares are of more than 100 % in all is said.
hiersearch predict '8xH100, 8xNDR400, 32:2' --np 512 --size 1MiB --top 1 | grep 'wins on'
hiersearch predict abci --np 4 --machines 10001

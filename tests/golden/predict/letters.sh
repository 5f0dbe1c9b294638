# Layers by the algorithm that takes least: where it is asked for, or the system says who executes.
machine='nv:4@100GB/s~1us,net:4@10GB/s~3us,spine@20GB/s~5us'
hiersearch predict "$machine" --np 24 --size 64KiB --algorithms all
echo
hiersearch predict "$machine;executor=host" --np 24 --size 64KiB --top 1
echo
hiersearch predict "$machine" --np 24 --size 64KiB --algorithms halving --top 1
echo
hiersearch predict "$machine" --np 24 --size 64KiB --algorithms halfing
echo "exit $?"
hiersearch predict "$machine" --np 24 --size 64KiB --explain 4dx6h | sed -n 1,9p

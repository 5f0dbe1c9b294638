hiersearch simulate abci --np 16384 --all 2>&1
echo "exit $?"

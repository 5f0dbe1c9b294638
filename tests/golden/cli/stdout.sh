# A full disk or a closed pipe does not pass for success.
hiersearch predict abci --np 4 >/dev/full
echo "exit $?"
hiersearch predict abci --np 4 >&-
echo "exit $?"
hiersearch --help >/dev/full
echo "exit $?"
hiersearch predict abci --np 4 --json >/dev/full
echo "exit $?"

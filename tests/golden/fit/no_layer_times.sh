hiersearch predict abci --np 128 --size 128MiB -o prediction.json >/dev/null
hiersearch fit abci prediction.json -o out.json
status=$?
ls
exit $status

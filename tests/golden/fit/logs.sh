# Logs of nccl-tests become the constants of NCCL's price on this machine; what one leaves out is asked for.
log="$SRC/tests/record/logs/nodes.txt"
# Its prices are not those of the log at each size: nothing is written unless that is forced.
hiersearch fit '8xH100, 8xNDR400' "$log" -o no.json
echo "exit $?"
ls
hiersearch fit '8xH100, 8xNDR400' "$log" --name here --force -o here.json >/dev/null
hiersearch fit '8xH100, 8xNDR400' - --name here --force -q <"$log" | cmp - here.json
hiersearch systems here.json --json | grep -A4 -m1 '"constants"'
printf 'bytes,seconds\n1048576,0.0002\n67108864,0.0011\n' > table.csv
hiersearch fit '8xH100, 8xNDR400' table.csv -o out.json
hiersearch fit '8xH100, 8xNDR400' table.csv --call all-reduce -o out.json
hiersearch fit '8xH100, 8xNDR400' table.csv --call allreduce --np 16 -o out.json
hiersearch fit '8xH100, 8xNDR400' table.csv --call allreduce --np 16 --nodes 2 --name there --force -o there.json >/dev/null
hiersearch predict there.json --np 128 --size 64MiB --top 1 -q | sed -n 4p
hiersearch fit abci table.csv --call allreduce --np 8 --nodes 2 -o out.json
printf 'hello\n' > hello.txt
hiersearch fit '8xH100, 8xNDR400' hello.txt -o out.json
hiersearch fit '8xH100, 8xNDR400' "$log" "$SRC/tests/golden/fit/4x8x4.json" -o out.json
hiersearch fit '8xH100, 8xNDR400' "$log" --name here --np 8 --nodes 1 --force -o same.json >/dev/null
cmp here.json same.json
ls
# Times that no constants meet: all of one length, whatever the message.
printf 'bytes,seconds\n16384,0.001\n1048576,0.001\n67108864,0.001\n1073741824,0.005\n' > flat.csv
hiersearch fit '8xH100, 8xNDR400, 32' flat.csv --call allreduce --np 16 --nodes 2 --force -o flat.json >/dev/null
# What a crash of a node left of a row.
printf 'bytes,seconds\n1048576,0.0002\n67108864,0.00\00011\n134217728,0.0021\n' > nul.csv
hiersearch check '8xH100, 8xNDR400, 32' nul.csv --call allreduce --np 16 --nodes 2 --format csv | wc -l

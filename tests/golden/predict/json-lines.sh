# Several process counts: one document per line.
hiersearch predict abci --np 4:16 --size 1MiB:2MiB --json >lines
wc -l <lines | tr -d ' '
python3 -c '
import json
for line in open("lines"):
    result = json.loads(line)
    print(result["np"], [m["message_bytes"] for m in result["results"]])'

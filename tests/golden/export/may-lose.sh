# What was predicted, and may be a loss, is not for anybody to apply unmeasured; but by name.
hiersearch predict '8xH100, 8xNDR400' --np 512 --size 128KiB -q -o may-lose.json >/dev/null 2>&1
hiersearch export may-lose.json --to rules 2>&1 | tail -n 2
hiersearch export may-lose.json --to rules --plan 8x64 2>/dev/null | tail -n 1

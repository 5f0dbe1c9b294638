# Text -> the same text; JSON -> a file that reads as the same machine; and predict takes either. A text says nothing
# of where its figures come from, so samples of it are others.
hiersearch systems abci --json >copy.json
hiersearch systems abci --text >text
hiersearch systems copy.json --text | cmp - text
hiersearch systems "$(cat text)" --text | cmp - text
hiersearch predict abci --np 64 --samples 0 2>/dev/null | sed 1d >by-name
hiersearch predict copy.json --np 64 --samples 0 2>/dev/null | sed 1d | cmp - by-name
hiersearch predict "$(cat text)" --np 64 --samples 0 2>/dev/null | sed 1d | cmp - by-name
grep -E '^(Use|Keep|Cannot)' by-name

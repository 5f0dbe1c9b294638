# A system may come from a pipe.
hiersearch systems abci --json | hiersearch predict - --np 16 -q | grep -E '^(Use|Keep|Cannot)'
echo '{' | hiersearch predict - --np 16

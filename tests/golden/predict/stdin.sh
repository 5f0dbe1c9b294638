# A system may come from a pipe.
hiersearch systems abci --json | hiersearch predict - --np 16 -q | grep '^best'
echo '{' | hiersearch predict - --np 16

# The note says what chunks would bring, and with chunks that is what comes.
hiersearch predict abci --np 128 --top 1 2>&1 >/dev/null
hiersearch predict abci --np 128 --top 1 --chunks 1,2,4,8 | grep -E '^(Use|Keep|Cannot)'

# Color only on a terminal, and never with NO_COLOR or TERM=dumb. A pseudo-terminal of python's.
cat >on_terminal.py <<'END'
import os, pty, sys
child, terminal = pty.fork()
if child == 0:
    os.execvp("hiersearch", ["hiersearch", "predict", "abci", "--np", "16"])
output = b""
try:
    while data := os.read(terminal, 65536):
        output += data
except OSError:
    pass
assert b"best" in output and os.waitpid(child, 0)[1] == 0
print(sys.argv[1], "color" if b"\x1b[" in output else "plain")
END
TERM=xterm NO_COLOR= python3 on_terminal.py "terminal:"
TERM=xterm NO_COLOR=1 python3 on_terminal.py "NO_COLOR:"
TERM=dumb NO_COLOR= python3 on_terminal.py "dumb terminal:"
TERM=xterm NO_COLOR= hiersearch predict abci --np 16 -q >out
grep -q "$(printf '\033')" out && echo "pipe: color" || echo "pipe: plain"

# A terminal of 40 columns: tables come in parts, texts are wrapped, and what is piped stays whole.
cat >on_terminal.py <<'END'
import fcntl, os, pty, struct, sys, termios
begin, go = os.pipe()
child, terminal = pty.fork()
if child == 0:
    os.read(begin, 1)
    os.environ.pop("COLUMNS")
    os.execvp(sys.argv[1], sys.argv[1:])
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 40, 0, 0))
os.write(go, b"x")
output = b""
try:
    while data := os.read(terminal, 65536):
        output += data
except OSError:
    pass
os.waitpid(child, 0)
sys.stdout.write(output.decode().replace("\r\n", "\n"))
END
on_terminal() { python3 on_terminal.py hiersearch "$@"; }
on_terminal predict 'node:4@100GB/s,net:8@10GB/s~5us' --np 32 -q
on_terminal systems 'node:4@100GB/s,net:8@10GB/s~5us' -q
on_terminal completion --help
echo "lines of --help that are too wide: $(for command in predict export plot; do
    on_terminal $command --help | sed '/^Examples/,$d' | tr -s ' ' '\n' >words
    on_terminal $command --help | sed '/^Examples/,$d' | awk 'length > 40 && NF > 1'
done)"
hiersearch predict 'node:4@100GB/s,net:8@10GB/s~5us' --np 32 -q | grep -c '#  plan .* busbw'

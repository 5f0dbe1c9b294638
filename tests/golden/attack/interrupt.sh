# Ctrl-C ends a long search at once, with the status that shells expect, and leaves nothing behind.
# (No time-out decides: without obeying, this would go on for minutes.)
"${PYTHON3:-/usr/bin/python3}" - <<'END'
import os, pty, signal, subprocess
main, side = pty.openpty()
with subprocess.Popen(["hiersearch", "predict", "abci", "--np", "735134400", "--search", "containment", "--widen", "--beam", "100", "-o", "r.json"],
                      stdout=subprocess.DEVNULL, stderr=side, env={**os.environ, "TERM": "xterm"}) as job:
    seen = b""
    while b"searching" not in seen:
        seen += os.read(main, 4096)
    job.send_signal(signal.SIGINT)
    print("ended by", signal.Signals(-job.wait()).name)
print("progress is shown")
END
ls -A

#!/usr/bin/env python3
"""Types a line into an interactive shell on a pseudo-terminal, and prints what the program then gets.

usage: type.py FOLDER LINE SHELL ARGUMENT... <SETUP

\\t in LINE is the tab key. A stand-in for the program, FOLDER/bin/hiersearch, hands completion on to the real one and keeps
what it gets, so what is printed (an argument a line) is what the shell made of the completed line.
"""
import os
import pty
import select
import sys
import time

PATIENCE_SECONDS = 60
STAND_IN = """#!/bin/sh
if [ "$1" = __complete ]; then PATH=${PATH#*:} exec hiersearch "$@"; fi
printf '%s\\n' "$@" >"$TYPED.new" && mv "$TYPED.new" "$TYPED"
"""


def wait_for(path, terminal):
    """What the shell prints is read, so that it never waits for us."""
    end = time.monotonic() + PATIENCE_SECONDS
    said = b""
    while not os.path.exists(path) and time.monotonic() < end:
        if select.select([terminal], [], [], 0.02)[0]:
            try:
                said += os.read(terminal, 65536)
            except OSError:
                break
    if not os.path.exists(path):
        sys.exit(f"type.py: no answer; the terminal shows {said!r}")


def main(folder, line, *shell):
    ready, typed = os.path.join(folder, "ready"), os.path.join(folder, "typed")
    os.makedirs(os.path.join(folder, "bin"), exist_ok=True)
    with open(os.path.join(folder, "bin", "hiersearch"), "w", encoding="ascii") as file:
        file.write(STAND_IN)
    os.chmod(file.name, 0o755)
    for path in ready, typed:
        if os.path.exists(path):
            os.remove(path)
    process, terminal = pty.fork()
    if process == 0:
        os.environ.update(TERM="dumb", TYPED=typed, READY=ready, INPUTRC="/dev/null",
                          PATH=os.path.join(folder, "bin") + ":" + os.environ["PATH"])
        os.execvp(shell[0], shell)
    os.write(terminal, sys.stdin.read().rstrip().encode() + b"; touch $READY\n")
    wait_for(ready, terminal)
    os.write(terminal, line.replace("\\t", "\t").encode() + b"\n")
    wait_for(typed, terminal)
    with open(typed, encoding="utf-8") as file:
        sys.stdout.write(file.read())
    os.close(terminal)
    os.waitpid(process, 0)


if __name__ == "__main__":
    main(*sys.argv[1:])

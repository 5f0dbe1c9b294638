#!/usr/bin/env python3
"""Runs every command of the documents and of the --help examples, and compares the output that a document shows. Prints TAP.

What is a command (in the documents all of these must be run or excused, or the test fails):
  - in an indented or fenced block: a line that begins with `$ `; in a block without such lines one that begins with a program
    of PROGRAMS or of the tree (./, tests/, bench/), after settings like A=b; `\\` at the end continues it, a `for` goes on to its `done`;
  - in the text: `code` of a program of TEXT_PROGRAMS and at least two words.
Three blanks, or two and a #, end a command: what follows is a remark. What follows in the same block, up to the next command,
is its output: it must come out like that. A line `...` stands for any lines. Times that were measured differ from run to run, and with
them units, plans, their order and the remarks about them: of commands in MEASURED what stands in front of the first figure of a
line must come, line by line in this order, and any verdict for a verdict. A command whose shown output is an error must fail, all others
must succeed.

Commands with capitals or brackets as arguments (SYSTEM, [-o FILE]), and in the text those without arguments, are patterns: they are
not run; --help must know command and options.
table.py has the rest: which documents need which files, what is run with less work, and what is excused, why, and where it is tested.
Commands of a document are run in order in a folder of its own.

usage: tests/docs/test_documents.py [DOCUMENT.md]...      UPDATE=1 rewrites the output that the documents show
"""
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import table

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("BUILD", ROOT / "build"))
BUILD = BUILD if BUILD.is_absolute() else ROOT / BUILD
PROGRAMS = ("hiersearch", "mpiexec", "mpirun", "srun", "sbatch", "salloc", "make", "jq", "cd", "for", "set", "smpicc", "smpirun", "cluster",
            "slurm", "fakessh", "git", "apt", "apt-get", "cc", "man", "source", "sudo", "python3", "/usr/bin/python3", "export", "mkdir", "gnuplot", "pip", "dpkg", "chromium", "cat", "ls")
TEXT_PROGRAMS = ("hiersearch", "mpiexec", "srun", "make", "./bootstrap", "tests/", "bench/")
COMMAND_SECONDS = 120
SETTING = r"(?:[A-Z][A-Z0-9_]*=\S*\s+)*"
COMMAND = re.compile(SETTING + r"(?:(?:\./|tests/|bench/)\S+|" + "|".join(map(re.escape, PROGRAMS)) + r")(?=\s|$)|[A-Z_]+=\$\(.*\)$")
REMARK = re.compile(r"(\s{2,}#.*|\s{3,}[^-\s].*)$")
# A word of two capitals or more, brackets, or three dots: a pattern. Settings and file names with digits or dots are not.
PATTERN = re.compile(r"(?:^|[\s|=\[:])(?:[A-Z][A-Z]+(?:\.[a-z]+)?)(?=[\s|\].:,]|$)|\[|\.\.\.")
MEASURED = re.compile(r"\bhiersearch (measure|profile)\b|\bmake bench")
UNITS = re.compile(r"\b(?:us|ms|s)\b")
VERDICT = re.compile(r"^(Use|Keep|Cannot tell whether) .*")
ODDS = re.compile(r"^(Gain|No plan|Too few samples|The difference|Within noise)\b.*")


class Command:
    """One command of a document: its text, its line, and the lines of output that the document shows."""

    def __init__(self, text, line, first=0, indent=0, in_text=False):
        self.text, self.line, self.first, self.indent, self.shown, self.in_text = text, line, first, indent, [], in_text

    @property
    def is_pattern(self):
        if self.in_text and re.search(r"\bhiersearch [a-z]+$", self.text):
            return True
        # What stands between quotes is for other programs.
        return PATTERN.search(re.sub(r"^" + SETTING + r"|'[^']*'", "", self.text)) is not None

    @property
    def fails(self):
        return any(re.match(r"hiersearch[\w -]*: (?!note: |warning: )", line) for line in self.shown)


# ---- what a document says ------------------------------------------------------------------------
def blocks(lines):
    """Yields (number of the first line, lines, indentation) of code, and (number, line, None) of text."""
    number, fence = 0, None
    while number < len(lines):
        line = lines[number]
        if fence := re.match(r"\s*```(\w*)\s*$", line):
            end = number + 1
            while end < len(lines) and not re.match(r"\s*```\s*$", lines[end]):
                end += 1
            if fence[1] in ("", "sh", "bash", "console", "text"):
                yield number + 1, lines[number + 1:end], 0
            number = end + 1
        elif line.startswith("    ") and line.strip() and (number == 0 or not lines[number - 1].strip()):
            end = number
            while end < len(lines) and (lines[end].startswith("    ") or not lines[end].strip()):
                end += 1
            while not lines[end - 1].strip():
                end -= 1
            indent = len(line) - len(line.lstrip()) if line.lstrip().startswith("$ ") else 4
            yield number, [text[indent:] for text in lines[number:end]], indent
            number = end
        else:
            yield number, line, None
            number += 1


def block_commands(first, lines, indent):
    """The commands of a block of code, with what is shown behind each."""
    prompt = any(line.startswith("$ ") for line in lines)
    found, number = [], 0
    while number < len(lines):
        line = lines[number]
        if line.startswith("$ ") if prompt else COMMAND.match(line):
            begin, text = number, REMARK.sub("", line.removeprefix("$ ")).rstrip()
            while text.endswith("\\"):
                number += 1
                text = text[:-1] + REMARK.sub("", lines[number].strip())
            while text.startswith("for ") and not text.endswith("done"):
                number += 1
                text += "\n" + lines[number].strip()
            found.append(Command(text, first + begin + 1, first + number + 1, indent))
        elif found:
            found[-1].shown.append(line.rstrip())
        elif re.match(r"\W*(hiersearch|mpiexec|mpirun|srun|make)\s+[-\w]", line):
            found.append(Command(line.strip(), first + number + 1))
        number += 1
    for command in found:
        while command.shown and not command.shown[-1]:
            command.shown.pop()
    return found


def text_commands(number, line):
    for code in re.findall(r"(?<!`)`([^`]+)`(?!`)", line):
        if code.startswith(TEXT_PROGRAMS) and COMMAND.match(code) and len(code.split()) > 1:
            yield Command(code.replace("\\|", "|"), number + 1, in_text=True)


def document_commands(path):
    found = []
    for number, content, indent in blocks(path.read_text(encoding="utf-8").splitlines()):
        found += block_commands(number, content, indent) if indent is not None else text_commands(number, content)
    return found


def help_commands():
    """The examples of every command's --help: (name, commands)."""
    names = subprocess.run([BUILD / "hiersearch", "help", "--names"], capture_output=True, text=True, check=True).stdout.split()
    for name in names:
        text = subprocess.run([BUILD / "hiersearch", "help", name], capture_output=True, text=True, check=True,
                              env=dict(os.environ, COLUMNS="200")).stdout
        lines = text.partition("\nExamples\n")[2].splitlines()
        yield f"{name} --help", [Command(line.strip(), 1 + i) for i, line in enumerate(lines)]


# ---- running -------------------------------------------------------------------------------------
class Document:
    """A document: the folder that its commands are run in, and what became of them."""

    def __init__(self, name, commands, scratch):
        self.name, self.commands = name, commands
        self.folder = Path(scratch) / re.sub(r"[/ ]", "-", name)
        self.counts = dict.fromkeys(("run", "compared", "with less work", "patterns", "excused", "skipped"), 0)
        self.excuses, self.failures, self.updates = [], [], []

    def fail(self, command, *lines):
        self.failures.append(f"{self.name}:{command.line}: {command.text.splitlines()[0]}")
        self.failures += [f"    {line}" for line in lines]

    def shell(self, text):
        environment = {key: os.environ[key] for key in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LD_LIBRARY_PATH", "TMPDIR") if key in os.environ}
        environment.update(PATH=f"{self.folder.parent}/bin:{BUILD}:{os.environ['PATH']}", HOME=str(self.folder), LC_ALL="C.UTF-8",
                           NO_COLOR="1", COLUMNS="100", TERM="dumb", TZ="UTC", SRC=str(ROOT), **table.MPI_SETTINGS)
        # In a session of its own: after a time-out all of it is ended, ranks too.
        process = subprocess.Popen(["/bin/bash", "-c", text], cwd=self.folder, env=environment, stdin=subprocess.DEVNULL, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace", start_new_session=True)
        try:
            return process.communicate(timeout=COMMAND_SECONDS)[0], process.returncode
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            return process.communicate()[0] + f"not finished after {COMMAND_SECONDS} s\n", 124

    def run(self):
        self.folder.mkdir(parents=True)
        for pattern, script in table.FILES:
            if re.search(pattern, self.name):
                output, status = self.shell("set -e\n" + script)
                if status:
                    self.failures += [f"files for {self.name}: exit status {status}", *output.splitlines()]
        prefix = "set -e"
        for command in self.commands:
            prefix = self.judge(command, prefix)

    def judge(self, command, prefix):
        """Runs or excuses one command; returns what the next has to begin with (folders and settings stay)."""
        if command.is_pattern:
            self.check_pattern(command)
            return prefix
        for row in table.EXCUSED:
            if row.matches(self.name, command.text):
                row.used = True
                self.counts["excused"] += 1
                self.excuses.append(f"{command.text.splitlines()[0]}  ({row.reason}; {row.place})")
                for problem in row.problems(ROOT, command.text):
                    self.fail(command, problem)
                return prefix
        if missing := [tool for tool, pattern in table.TOOLS if re.search(pattern, command.text) and not shutil.which(tool)]:
            self.counts["skipped"] += 1
            self.excuses.append(f"{command.text}  (skipped: {missing[0]} is not installed)")
            return prefix
        if re.match(r"(cd|set) ", command.text) and ";" not in command.text:
            self.counts["run"] += 1
            return f"{prefix}\n{command.text}"
        self.run_command(command, prefix)
        return prefix

    def run_command(self, command, prefix):
        text = command.text
        for row in table.LESS_WORK:
            if re.search(row.pattern, text):
                row.used = True
                text = re.sub(row.pattern, row.replacement, text)
        self.counts["with less work" if text != command.text else "run"] += 1
        output, status = self.shell(f"{prefix}\n{text}")
        if (status != 0) != command.fails:
            self.fail(command, f"ran: {text}", f"exit status {status}", *output.splitlines()[-8:])
        elif command.shown:
            self.counts["compared"] += 1
            got = [line.rstrip() for line in output.rstrip().splitlines()]
            measured = MEASURED.search(command.text) is not None
            if not same(command.shown, got, measured):
                self.differs(command, got, measured)

    def differs(self, command, got, measured):
        if os.environ.get("UPDATE") == "1" and not measured and "..." not in command.shown:
            self.updates.append((command, got))
        else:
            self.fail(command, "the document shows", *command.shown, "it prints", *got)

    def check_pattern(self, command):
        """The command of a pattern exists and knows the options."""
        self.counts["patterns"] += 1
        words = re.sub(r"[\[\]|]", " ", command.text).split()
        program = next((i for i, word in enumerate(words) if re.fullmatch(r"(.*/)?hiersearch", word)), None)
        if program is None:
            return self.check_target(command, words)
        name = next(iter(words[program + 1:]), "")
        done = subprocess.run([BUILD / "hiersearch", name, "--help", "all"], capture_output=True, text=True, check=False)
        if name.isupper():
            return None
        if done.returncode:
            return self.fail(command, f"there is no command {name}")
        for option in (word for word in words[program:] if re.match(r"--?[a-z]", word)):
            if not re.search(r"(?<![\w-])" + re.escape(option.partition("=")[0]) + r"(?![\w-])", done.stdout):
                self.fail(command, f"{name} --help does not know {option}")
        return None

    def check_target(self, command, words):
        if words[0] == "make" and not table.has_target(ROOT, words[1]):
            self.fail(command, f"there is no target {words[1]}")

    def rewrite(self):
        """Puts what was printed in the place of what is shown."""
        path = ROOT / self.name
        lines = path.read_text(encoding="utf-8").splitlines()
        for command, got in reversed(self.updates):
            lines[command.first:command.first + len(command.shown)] = [(" " * command.indent + line).rstrip() for line in got]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")

    def summary(self):
        counts = ", ".join(f"{count} {what}" for what, count in self.counts.items() if count)
        return f"{self.name}: {len(self.commands)} commands: {counts or 'none'}"


def same(shown, got, measured):
    """Whether the output is as shown: `...` stands for any lines, and figures that were measured for any figures."""
    if measured:
        shown, got = [[ODDS.sub("", VERDICT.sub("the verdict", line)) for line in lines] for lines in (shown, got)]
        shown, got = [[re.sub(r"\W+", " ", UNITS.sub("", re.split(r"\d", line)[0])).strip() for line in lines] for lines in (shown, got)]
        rest = iter(got)
        return all(words in rest for words in shown if words)
    begin = 0
    if "..." not in shown:
        return [line for line in shown if line] == [line for line in got if line]
    parts = [part.strip("\n") for part in "\n".join(shown).split("\n...")]
    text = "\n".join(got)
    for part in parts:
        place = text.find(part.removeprefix("...").strip("\n"), begin)
        if place < 0:
            return False
        begin = place + len(part)
    return True


def make_programs(folder):
    """mpiexec, where the machine has it under the name of one MPI only, or of another one."""
    folder.mkdir()
    if launcher := shutil.which(f"mpiexec.{table.MPI}") or shutil.which("mpiexec"):
        for name in ("mpiexec", "mpirun"):
            (folder / name).write_text(f"#!/bin/sh\nexec {shlex.quote(launcher)} {table.MPI_OPTIONS} \"$@\"\n", encoding="utf-8")
            (folder / name).chmod(0o755)


def documents(names):
    if names:
        return [Path(name).resolve() for name in names]
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md")), ROOT / "tests/cluster/README.md"]


def main():
    number, failed, total = 0, False, {}
    with tempfile.TemporaryDirectory() as scratch:
        make_programs(Path(scratch) / "bin")
        todo = [Document(os.path.relpath(path, ROOT), document_commands(path), scratch) for path in documents(sys.argv[1:])]
        if not sys.argv[1:]:
            todo += [Document(name, commands, scratch) for name, commands in help_commands()]
        for document in todo:
            document.run()
            if document.updates:
                document.rewrite()
            number += 1
            failed = failed or bool(document.failures)
            print(f"{'not ok' if document.failures else 'ok'} {number} - {document.summary()}")
            for line in [*document.failures, *(f"excused: {line}" for line in document.excuses)]:
                print(f"# {line}")
            for what, count in document.counts.items():
                total[what] = total.get(what, 0) + count
    if not sys.argv[1:]:
        unused = [row.pattern for row in (*table.EXCUSED, *table.LESS_WORK) if not row.used and row.needed()]
        number += 1
        print(f"{'not ok' if unused else 'ok'} {number} - every row of the table is needed")
        for pattern in unused:
            print(f"# no command matches {pattern}")
        failed = failed or bool(unused)
    print("# in all: " + ", ".join(f"{count} {what}" for what, count in total.items()))
    print(f"1..{number}")
    return failed


if __name__ == "__main__":
    sys.exit(main())

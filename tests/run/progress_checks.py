#!/usr/bin/env python3
"""Runs what takes long in the scripts of ops/ on a terminal and elsewhere, and looks at what is told of it.

Prints one line for each promise that does not hold, and ends with 1 when there is one.
"""
import contextlib
import os
import pathlib
import pty
import shlex
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
NEVER = "3600"  # seconds between two lines: more than any of this takes
broken = []
homes = contextlib.ExitStack()
# Says what ninja says, and waits until a file is there.
WORK = """printf '[1/10] compiling\\n[4/10] compiling\\n'; echo began > {home}/began; until [ -e {home}/go ]; do sleep 0.05; done; echo '[10/10] linking'; exit {code}"""


def holds(what, promise):
    if not what:
        broken.append(promise)
        print(f"does not hold: {promise}", file=sys.stderr)


def script(home, code=0):
    return (f"set -euo pipefail; source {shlex.quote(str(ROOT / 'ops/common.sh'))}; code=0\n"
            f"with_progress 'building it' {home}/log bash -c {shlex.quote(WORK.format(home=home, code=code))} || code=$?\n"
            "echo \"ended with $code\"\n")


def until(seen, what):
    """Waits for it, as long as a patient person would."""
    end = time.monotonic() + 60
    while what not in seen() and time.monotonic() < end:
        time.sleep(0.05)
    return what in seen()


def elsewhere(home, every, code=0, quiet="no"):
    said = home / "said"
    with open(said, "w") as to:
        work = subprocess.Popen(["bash", "-c", script(home, code)], stdout=subprocess.PIPE, stderr=to, text=True,
                                env={**os.environ, "PROGRESS_EVERY": every, "PROGRESS_QUIET": quiet})
        if every != NEVER and quiet == "no":
            holds(until(said.read_text, "building it: 4 of 10, 40 %, "), "where nothing can be rewritten, a line says how far it is")
        else:
            until(lambda: "began" if (home / "began").exists() else "", "began")
            time.sleep(0.5)  # for whoever would say something
        (home / "go").touch()
        out = work.communicate(timeout=60)[0]
    holds(out == f"ended with {code}\n", f"standard output is the script's own, and the code the command's: {out!r}")
    return said.read_text()


def on_terminal(home, interrupt=False, term="xterm"):
    child, terminal = pty.fork()
    if child == 0:
        os.environ.update({"TERM": term, "PROGRESS_QUIET": "no"})
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.execvp("bash", ["bash", "-c", script(home)])
    seen = bytearray()

    def read():
        try:
            os.set_blocking(terminal, False)
            seen.extend(os.read(terminal, 65536))
        except (BlockingIOError, OSError):
            pass
        return seen.decode()
    if term == "xterm":
        holds(until(read, "\r\x1b[Kbuilding it: 4 of 10, 40 %, "), "on a terminal one line says how far it is")
    else:
        until(lambda: "began" if (home / "began").exists() else "", "began")
    if interrupt:
        os.write(terminal, b"\x03")
    else:
        (home / "go").touch()
        until(read, "ended with 0")
    end = time.monotonic() + 60
    status = 0
    while time.monotonic() < end:
        read()
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            break
        time.sleep(0.05)
    read()
    return seen.decode(), status


def fresh():
    return pathlib.Path(homes.enter_context(tempfile.TemporaryDirectory(prefix="credence-progress-")))


def main():
    home = fresh()
    said = elsewhere(home, "0.1")
    holds("\r" not in said and "\x1b" not in said, f"without anything that a file should not hold: {said!r}")
    holds("linking" in (home / "log").read_text(), "all that was said is in the log")
    elsewhere(fresh(), "0.1", code=3)
    holds(elsewhere(fresh(), NEVER) == "", "work that ends before the first line says nothing")
    holds(elsewhere(fresh(), "0.1", quiet="yes") == "", "nor does any when it is asked to be quiet")
    seen, _ = on_terminal(fresh())
    holds(seen.endswith("\r\x1b[Kended with 0\r\n"), f"the line is wiped in the end: {seen!r}")
    seen, status = on_terminal(fresh(), interrupt=True)
    holds(os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 130, f"Ctrl-C ends it: {status}")
    holds("ended with" not in seen, "at once")
    holds(seen.endswith("\n"), f"and what comes next begins on a line of its own: {seen!r}")
    seen, _ = on_terminal(fresh(), term="dumb")
    holds("\x1b" not in seen, f"a terminal that cannot rewrite gets no escape: {seen!r}")
    return 1 if broken else 0


with homes:
    sys.exit(main())

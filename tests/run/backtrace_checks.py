#!/usr/bin/env python3
"""Stops the executable deep inside, as a crash would, and looks whether a stack trace names functions and lines.

    tests/run/backtrace_checks.py EXECUTABLE

The executable is copied first, as an installation does: what a stack trace needs has to travel with it. Ends with 1 when it does not hold.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

with tempfile.TemporaryDirectory() as where:
    installed = pathlib.Path(where) / "credence"
    shutil.copy(sys.argv[1], installed)
    trace = subprocess.run(
        ["gdb", "-batch", "-nx", "-ex", "set breakpoint pending on", "-ex", "break PQconnectPoll", "-ex", "run", "-ex", "backtrace", "--args",
         str(installed), "migrate", "status", "--database-url", "host=/nonexistent dbname=credence", "--data-dir", where],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True, timeout=600).stdout

missing = [what for what in (r"\w ?\(.*\) at \S*persistence/postgres/connect\w+\.cpp:\d+", r"\w ?\(.*\) at \S*http/main\.cpp:\d+")
           if not re.search(what, trace)]
for what in missing:
    print(f"no line of the stack trace is like {what}", file=sys.stderr)
if missing:
    sys.exit(trace)

"""Processes that ops/bench starts and watches."""
import json
import os
import pathlib
import shlex
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
TICK = os.sysconf("SC_CLK_TCK")


class Failure(Exception):
    pass


def say(text):
    print(text, file=sys.stderr, flush=True)


def helpers(script, *words, **how):
    """Runs a line of bash with the functions of common.sh; returns what it prints."""
    line = f"set -euo pipefail; source {shlex.quote(str(ROOT / 'ops/common.sh'))}; {script}"
    done = subprocess.run(["bash", "-c", line, "ops/bench", *map(str, words)], stdout=subprocess.PIPE, text=True,
                          stdin=subprocess.DEVNULL, **how)
    if done.returncode:
        raise Failure(f"failed: {script}")
    return done.stdout


def as_service(command):
    """The command as the user that the service runs as; keeps its process id."""
    if os.geteuid() != 0:
        return command
    return ["setpriv", "--reuid=credence", "--regid=credence", "--clear-groups", "--", *command]


def stat_of(pid):
    """(parent, utime + stime, those of ended children), in ticks."""
    text = pathlib.Path(f"/proc/{pid}/stat").read_text()
    fields = text[text.rindex(")") + 2:].split()
    return int(fields[1]), int(fields[11]) + int(fields[12]), int(fields[13]) + int(fields[14])


def cpu_of(pid):
    return stat_of(pid)[1] / TICK


def cpu_of_family(parent):
    """A process with all its children, also those that ended meanwhile."""
    _, own, ended = stat_of(parent)
    total = own + ended
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                above, used, _ = stat_of(entry.name)
            except (OSError, ValueError):
                continue
            total += used if above == parent else 0
    return total / TICK


def memory_of(pid):
    """(resident, most ever resident) in MiB."""
    lines = pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
    values = {line.split(":")[0]: line.split()[1] for line in lines if line.startswith(("VmRSS", "VmHWM"))}
    return int(values["VmRSS"]) / 1024, int(values["VmHWM"]) / 1024


class Server:
    """A process that prints {"event":"ready","port":N} to a log file when it serves."""

    def __init__(self, name, command, log, env=None):
        with open(log, "wb") as out:
            self.process = subprocess.Popen(command, stdout=out, stderr=out, stdin=subprocess.DEVNULL, cwd="/",
                                            env={**os.environ, **(env or {})}, start_new_session=True)
        self.name, self.pid, self.port, self.ready = name, self.process.pid, None, None
        until = time.monotonic() + 120
        while self.port is None:
            for line in pathlib.Path(log).read_text(errors="replace").splitlines():
                if '"event":"ready"' in line:
                    self.ready = json.loads(line)
                    self.port = self.ready["port"]
            if self.process.poll() is not None or time.monotonic() > until:
                self.stop()
                raise Failure(f"{name} did not start; see {log}")
            time.sleep(0.02)

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(15)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

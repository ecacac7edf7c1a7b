"""The scenario `console` of ops/bench: votes while the operator console is open in three tabs.

Each tab holds an event stream with the topics of the page that it shows: the overview, the actors, and the project for which all votes
are. The streams are read without drawing anything, as a browser is mostly on another machine. Votes come in a closed loop, without the
tabs and with them in turn. Bar: at least 0.99 of the votes without them, at the median of the rounds. Throughput moves by more than that
from run to run on most machines, so what the tabs cost is told, too: the processor time of the server and of PostgreSQL while nothing
but the tabs asks, as a share of the machine.
"""
import contextlib
import os
import socket
import statistics
import threading
import time

from processes import cpu_of, cpu_of_family

LEAST, IDLE_SECONDS = 0.99, 10


class Tab(threading.Thread):
    """An event stream that is read to its end; counts what comes."""

    def __init__(self, port, token, topics):
        super().__init__(daemon=True)
        self.events = 0
        self.link = socket.create_connection(("127.0.0.1", port), timeout=30)
        self.link.sendall(f"GET /admin/api/v1/events?topics={topics} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n"
                          "Accept: text/event-stream\r\n\r\n".encode())
        self.head = self.link.recv(65536)
        self.start()

    def run(self):
        with contextlib.suppress(OSError):
            while piece := self.link.recv(1 << 18):
                self.events += piece.count(b"\nevent:") + piece.startswith(b"event:")

    def close(self):
        with contextlib.suppress(OSError):
            self.link.shutdown(socket.SHUT_RDWR)
        self.join()
        self.link.close()


@contextlib.contextmanager
def open_tabs(bench, failure):
    topics = ("overview", "actors,overview", f"overview,project:{bench.hot}")
    tabs = [Tab(bench.ours.ready["admin_port"], bench.admin, each) for each in topics]
    try:
        for tab in tabs:
            if b" 200 " not in tab.head.split(b"\r\n")[0]:
                raise failure(f"console: a tab was answered {tab.head[:80]!r}")
        yield tabs
    finally:
        for tab in tabs:
            tab.close()


def share_of_machine(bench):
    """Of all cores, in percent, over some seconds in which nobody votes."""
    begun, used = time.monotonic(), cpu_of(bench.ours.pid) + cpu_of_family(bench.postgres)
    time.sleep(IDLE_SECONDS)
    used = cpu_of(bench.ours.pid) + cpu_of_family(bench.postgres) - used
    return 100 * used / (time.monotonic() - begun) / os.cpu_count()


def measure(bench, failure):
    """Returns {"text": what to print, ...}; `bench` is ready to serve."""
    bench.open_period()
    bench.warm("hot.tsv")
    connections = bench.args.connections[-1]
    quiet = share_of_machine(bench)
    with open_tabs(bench, failure):
        watched = share_of_machine(bench)
    rounds = []
    for turn in range(bench.args.rounds):
        one = {}
        for with_tabs in ((False, True) if turn % 2 == 0 else (True, False)): # what drifts is not always to the same one's cost
            with open_tabs(bench, failure) if with_tabs else contextlib.nullcontext(()) as tabs:
                run = bench.run("hot", bench.ours, connections)
                one["with" if with_tabs else "without"] = {"rps": run["rps"], "cpu_us": run["cpu_us"]}
                if with_tabs:
                    one["events"] = [tab.events for tab in tabs]
        rounds.append(one)
    result = {"quiet_percent": quiet, "watched_percent": watched, "rounds": rounds}
    result["text"] = describe(result)
    return result


def describe(result):
    rounds = result["rounds"]
    ratios = [r["with"]["rps"] / r["without"]["rps"] for r in rounds]
    ratio = statistics.median(ratios)
    cost = {who: statistics.median(r[who]["cpu_us"]["server"] + r[who]["cpu_us"]["postgres"] for r in rounds) for who in ("with", "without")}
    if any(min(r["events"]) == 0 for r in rounds):
        verdict = "MISSED: a tab heard nothing"
    else:
        verdict = "met" if ratio >= LEAST else "MISSED"
    return "\n".join([
        f"console: {statistics.median(r['without']['rps'] for r in rounds):.0f} votes/s without, {statistics.median(r['with']['rps'] for r in rounds):.0f} "
        f"with three tabs; {len(rounds)} rounds",
        f"  ratio {ratio:.3f} ({min(ratios):.3f}..{max(ratios):.3f}; bar >= {LEAST}): {verdict}",
        f"  CPU us a vote, server and PostgreSQL: {cost['without']:.1f} without, {cost['with']:.1f} with",
        f"  without votes: {result['quiet_percent']:.2f} % of the machine without tabs, {result['watched_percent']:.2f} % with them"])

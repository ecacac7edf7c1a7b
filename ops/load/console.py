"""The scenario `console` of ops/bench: votes while the operator console is open in three tabs.

Each tab holds an event stream with the topics of the page that it shows: the overview, the actors, and the project for which all votes
are. The streams are read without drawing anything, as a browser is mostly on another machine. Bar: the tabs take less than 1 % of the
machine, as votes that use all of it lose what others take: the processor time of the server and of PostgreSQL while nobody votes, with the
tabs less without them. Then votes come in a closed loop, without the tabs and with them in turn; their ratio is told without a verdict, as
it moves by more than that from run to run.
"""
import contextlib
import os
import socket
import statistics
import threading
import time

from processes import cpu_of, cpu_of_family

PERCENT_MOST, IDLE_SECONDS, SETTLE_SECONDS = 1, 10, 20


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
    time.sleep(SETTLE_SECONDS)  # what was just loaded and asked for is tidied up
    quiet = [share_of_machine(bench)]
    with open_tabs(bench, failure):
        watched = share_of_machine(bench)
    quiet = (quiet[0] + share_of_machine(bench)) / 2
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
    taken = result["watched_percent"] - result["quiet_percent"]
    if any(min(r["events"]) == 0 for r in rounds):
        verdict = "MISSED: a tab heard nothing"
    else:
        verdict = "met" if taken < PERCENT_MOST else "MISSED"
    return "\n".join([
        f"console: three tabs take {taken:.2f} % of the machine (bar < {PERCENT_MOST}): {verdict}; server and PostgreSQL together "
        f"{result['quiet_percent']:.2f} % without them, {result['watched_percent']:.2f} % with them, while nobody votes",
        f"  {statistics.median(r['without']['rps'] for r in rounds):.0f} votes/s without, {statistics.median(r['with']['rps'] for r in rounds):.0f} "
        f"with them; ratio {ratio:.3f} ({min(ratios):.3f}..{max(ratios):.3f}) in {len(rounds)} rounds",
        f"  CPU us a vote, server and PostgreSQL: {cost['without']:.1f} without, {cost['with']:.1f} with"])

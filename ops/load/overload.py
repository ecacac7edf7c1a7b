"""The scenario `overload` of ops/bench: more votes are offered than can be taken.

The saturation rate is the best of closed loops, taken anew in each round, since a shared machine drifts. Then, on a fixed schedule, 80 % of it, twice and five
times as much, and half of it straight after each of the two. Bars: accepted votes a second stay at 90 %
of the saturation rate, the p99 of accepted ones within twice that at 80 %, memory within 64 MiB (and the
votes themselves), and in the second after the fall nobody is refused any more.

Every connection has one request under way. A request that finds none free for PATIENCE_MS is never sent:
with too few connections, or cores, less than the schedule is really offered, and both are printed. A
connection that was refused is not read from for a while (decision 13), so a few hundred refusals a second are all that
a crowd gets: what is missing from the schedule then waits in the client, where it costs nothing. The bar
takes the latency of accepted votes from sending to the answer; from the moment they were due it is
printed too.
"""
import contextlib
import os
import pathlib
import statistics
import threading
import time

NORMAL, CALM = 0.8, 0.5
OVERLOADS = (2, 5)
CALM_SECONDS = 3
PATIENCE_MS = 100
GOODPUT_LEAST, P99_MOST = 0.9, 2.0
OFFERED_LEAST = 0.9  # of the schedule; less is said
MEMORY_MOST_MIB, BYTES_A_VOTE = 64, 100


def tasks_of(pid):
    return [int(task.name) for task in pathlib.Path(f"/proc/{pid}/task").iterdir()]


def children_of(parent):
    out = []
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError, ValueError):
                text = (entry / "stat").read_text()
                if int(text[text.rindex(")") + 2:].split()[1]) == parent:
                    out.append(int(entry.name))
    return out


def bind(pid, cores):
    for task in tasks_of(pid):
        with contextlib.suppress(ProcessLookupError):
            os.sched_setaffinity(task, cores)


@contextlib.contextmanager
def cores_apart(bench):
    """The generator on the last quarter of the cores (at least one), the service and PostgreSQL on the others."""
    cores = sorted(os.sched_getaffinity(0))
    if bench.args.shared_cores or len(cores) < 2:
        yield f"generator, service and PostgreSQL share {len(cores)} cores"
        return
    apart = max(1, len(cores) // 4)
    served = [bench.ours.pid, bench.postgres, *children_of(bench.postgres)]
    for pid in served:
        bind(pid, cores[:-apart])
    bench.generator_cores = cores[-apart:]
    try:
        yield f"generator on {apart} of {len(cores)} cores, service and PostgreSQL on the others"
    finally:
        bench.generator_cores = None
        for pid in {*served, *children_of(bench.postgres)}:
            with contextlib.suppress(OSError):
                bind(pid, cores)


class MemoryWatch:
    """The most memory that was resident while it ran, looked at ten times a second."""

    def __init__(self, memory_of, pid):
        self.most, self.over = memory_of(pid)[0], threading.Event()
        self.thread = threading.Thread(target=self.look, args=(memory_of, pid), daemon=True)

    def look(self, memory_of, pid):
        while not self.over.wait(0.1):
            with contextlib.suppress(OSError, KeyError):
                self.most = max(self.most, memory_of(pid)[0])

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()


def offer(bench, phases):
    """One schedule in a voting period of its own, so that no pair has voted before."""
    bench.fresh_period = False
    bench.open_period()
    bench.pairs["votes"] = bench.pairs["hot"] = 0
    time.sleep(1)  # profiles that voted in the period before hear of the new one
    out = bench.run("votes", bench.ours, bench.args.overload_connections, phases=phases, patience_ms=PATIENCE_MS)
    for phase in out["phases"]:
        seconds = phase["seconds"]
        phase.update(goodput=phase["accepted"] / seconds, offered=(phase["due"] - phase["unsent"]) / seconds,
                     refusals=phase["refused"] / seconds)
    return out


def measure(bench, memory_of):
    """Returns {"text": what to print, ...}; `bench` is ready to serve."""
    seconds = bench.args.seconds
    bench.open_period()
    bench.warm("spread.tsv")
    with cores_apart(bench) as how:
        crowds = sorted({*bench.args.connections, bench.args.overload_connections // 2, bench.args.overload_connections})
        rounds = []
        with MemoryWatch(memory_of, bench.ours.pid) as memory:
            at_start = memory.most
            for _ in range(bench.args.rounds):
                closed = [bench.run("votes", bench.ours, n) for n in crowds]
                peak = max(run["ok"] / run["seconds"] for run in closed)
                rounds.append({"peak": peak, "closed": sum(run["acknowledged_votes"] for run in closed),
                               "normal": offer(bench, [(NORMAL * peak, seconds)] * 2)["phases"][1],
                               **{k: offer(bench, [(k * peak, seconds), (CALM * peak, CALM_SECONDS)])["phases"] for k in OVERLOADS}})
    votes = sum(r["closed"] + r["normal"]["accepted"] * 2 + sum(p["accepted"] for k in OVERLOADS for p in r[k]) for r in rounds)
    result = {"peak": statistics.median(r["peak"] for r in rounds), "cores": how, "connections": bench.args.overload_connections, "rounds": rounds,
              "memory_grew_mib": memory.most - at_start, "accepted": votes}
    result["text"] = describe(result)
    return result


def verdict(value, bar, good):
    return f"{value} (bar {bar}): {'met' if good else 'MISSED'}"


def describe(result):
    rounds, peak = result["rounds"], result["peak"]

    def middle(get):
        return statistics.median(get(r) for r in rounds)
    p99_normal = middle(lambda r: r["normal"]["from_sent_ms"]["p99"])
    lines = [f"overload: {result['cores']}; {result['connections']} connections; medians of {len(rounds)} rounds",
             f"  saturation {peak:.0f}/s; at {NORMAL:.0%} of it: {middle(lambda r: r['normal']['goodput']):.0f}/s accepted, p99 {p99_normal:.1f} ms"
             f" ({middle(lambda r: r['normal']['from_due_ms']['p99']):.1f} from due), {middle(lambda r: r['normal']['refusals']):.0f}/s refused"]
    for k in OVERLOADS:
        goodput = middle(lambda r: r[k][0]["goodput"] / r["peak"])
        p99 = middle(lambda r: r[k][0]["from_sent_ms"]["p99"])
        offered = middle(lambda r: r[k][0]["offered"] / r["peak"])
        if offered < OFFERED_LEAST * k:
            lines.append(f"  {k}x WAS NOT OFFERED: every connection waited for an answer or out its pause, or the generator was short of cores;"
                         " what follows holds for what was really offered")
        lines += [f"  {k}x: schedule {k * peak:.0f}/s, really offered {middle(lambda r: r[k][0]['offered']):.0f}/s"
                  f" ({offered:.2f}x), refused {middle(lambda r: r[k][0]['refusals']):.0f}/s,"
                  f" failed {max(r[k][0]['failed'] for r in rounds)}",
                  f"    goodput {middle(lambda r: r[k][0]['goodput']):.0f}/s, of saturation "
                  + verdict(f"{goodput:.2f}", f">= {GOODPUT_LEAST}", goodput >= GOODPUT_LEAST),
                  f"    p99 of accepted {p99:.1f} ms ({middle(lambda r: r[k][0]['from_due_ms']['p99']):.1f} from due), of that at {NORMAL:.0%} "
                  + verdict(f"{p99 / max(p99_normal, 1e-9):.2f}", f"<= {P99_MOST}", p99 <= P99_MOST * p99_normal)]
        calm = [r[k][1]["each_second"] for r in rounds]
        refused = max(second["refused"] + second["failed"] for seconds in calm for second in seconds[1:])
        lines += [f"    then {CALM:.0%}: " + "; ".join(
            f"second {i + 1}: p99 {statistics.median(s[i]['from_sent_ms']['p99'] for s in calm):.1f} ms,"
            f" {statistics.median(s[i]['refused'] for s in calm):.0f} of {statistics.median(s[i]['due'] for s in calm):.0f} refused"
            for i in range(2)), "    refused after the first second " + verdict(refused, 0, refused == 0)]
    most = MEMORY_MOST_MIB + result["accepted"] * BYTES_A_VOTE / 2**20
    lines.append(f"  memory: most {result['memory_grew_mib']:.0f} MiB above the start, with {result['accepted']} votes stored "
                 + verdict("", f"<= {most:.0f} MiB: {MEMORY_MOST_MIB} and {BYTES_A_VOTE} bytes a vote", result["memory_grew_mib"] <= most).strip())
    return "\n".join(lines)

"""The scenario `idle` of ops/bench: votes and balances while thousands of connections are open and silent.

Each idle connection has asked once and keeps its connection alive. Bars: at most 20 KiB of memory a
connection, and a p99 of the load within 1.5 times that without them, at half of the rate that each reaches
in a closed loop.
"""
import contextlib
import resource
import socket
import statistics

LOADS = ("votes", "balance")
SHARE = 0.5
KIB_MOST, P99_MOST = 20, 1.5
AT_ONCE = 256  # connections opened before their answers are read
GREETING = b"GET /api/v2/healthcheck HTTP/1.1\r\nHost: idle\r\n\r\n"


def raise_descriptors(wanted):
    """For this process and those it starts."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard if hard == resource.RLIM_INFINITY or hard >= wanted else wanted))


def open_idle(port, count, failure):
    """`count` connections, each with one answer behind it."""
    out = []
    while len(out) < count:
        fresh = []
        for _ in range(min(AT_ONCE, count - len(out))):
            try:
                fresh.append(socket.create_connection(("127.0.0.1", port), timeout=10))
                fresh[-1].sendall(GREETING)
            except OSError as why:
                raise failure(f"only {len(out) + len(fresh)} idle connections could be opened: {why}") from None
        for each in fresh:
            answer = b""
            while b"\r\n\r\n" not in answer:
                piece = each.recv(65536)
                if not piece:
                    break
                answer += piece
            if not answer.startswith(b"HTTP/1.1 200"):
                raise failure(f"an idle connection was answered {answer[:60]!r}")
        out += fresh
    return out


def still_open(idle):
    count = 0
    for each in idle:
        each.setblocking(False)
        try:
            count += each.recv(1, socket.MSG_PEEK) != b""
        except BlockingIOError:
            count += 1
        except OSError:
            pass
    return count


def measure(bench, memory_of, failure):
    """Returns {"text": what to print, ...}; `bench` is ready to serve."""
    bench.open_period()
    bench.warm("spread.tsv")
    count, connections = bench.args.idle_connections, bench.args.connections[0]
    rates = {load: SHARE * bench.run(load, bench.ours, connections)["rps"] for load in LOADS}
    rounds = []
    for _ in range(bench.args.rounds):
        without = {load: bench.run(load, bench.ours, connections, rates[load]) for load in LOADS}
        before = memory_of(bench.ours.pid)[0]
        idle = open_idle(bench.ours.port, count, failure)
        opened = memory_of(bench.ours.pid)[0]
        beside = {load: bench.run(load, bench.ours, connections, rates[load]) for load in LOADS}
        rounds.append({"kib": (opened - before) * 1024 / count, "open_at_end": still_open(idle),
                       "without": {load: without[load]["latency_ms"]["p99"] for load in LOADS},
                       "beside": {load: beside[load]["latency_ms"]["p99"] for load in LOADS}})
        for each in idle:
            each.close()
    result = {"idle": count, "rates": rates, "rounds": rounds}
    result["text"] = describe(result)
    return result


def describe(result):
    rounds = result["rounds"]
    kib = max(r["kib"] for r in rounds)

    def judged(text, good):
        return f"{text}: {'met' if good else 'MISSED'}"
    lines = [f"idle: {result['idle']} idle connections, {min(r['open_at_end'] for r in rounds)} still open after the load; {len(rounds)} rounds",
             "  memory " + judged(f"{kib:.1f} KiB a connection (bar <= {KIB_MOST})", kib <= KIB_MOST)]
    for load in LOADS:
        without = statistics.median(r["without"][load] for r in rounds)
        beside = statistics.median(r["beside"][load] for r in rounds)
        lines.append(f"  {load} at {result['rates'][load]:.0f}/s: p99 {without:.2f} ms without, {beside:.2f} ms beside them, "
                     + judged(f"{beside / max(without, 1e-9):.2f} (bar <= {P99_MOST})", beside <= P99_MOST * without))
    return "\n".join(lines)

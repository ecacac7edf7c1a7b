"""The scenario `keyed` of ops/bench: votes that come with an Idempotency-Key each, 5,000 a second for ten minutes.

Each is answered after two commits, of its effect and of its answer, and leaves two rows. Bars: every vote of the
schedule is answered 200, and p99 in the last minute is within 1.5 times that in the first: what is kept of the requests
before does not slow those that come.
"""
RATE, CONNECTIONS = 5000, 256
P99_GROWS_MOST = 1.5


def measure(bench, failure):
    """Returns {"text": what to print, ...}; `bench` is ready to serve."""
    bench.fresh_period = False
    bench.open_period()
    bench.pairs["votes"] = bench.pairs["hot"] = 0
    bench.warm("spread.tsv")
    minutes = bench.args.keyed_minutes
    out = bench.run("votes", bench.ours, CONNECTIONS, phases=[(RATE, 60)] * minutes, more=("--idempotent", "bench"))
    if not out["totals_right"]:
        raise failure("the totals did not grow by the votes acknowledged")
    rows, pages = bench.query("SELECT count(*) FROM idempotency_records") + bench.query(
        "SELECT sum(pg_total_relation_size(inhrelid)) FROM pg_inherits WHERE inhparent = 'idempotency_records'::regclass")
    phases = out["phases"]
    missing = sum(phase["due"] - phase["accepted"] for phase in phases)
    first, last = phases[0]["from_due_ms"]["p99"], phases[-1]["from_due_ms"]["p99"]
    cpu = out["cpu_us"]
    text = "\n".join([
        f"keyed: {RATE} votes/s with an Idempotency-Key, for {minutes} min on {CONNECTIONS} connections",
        f"  not answered 200: {missing} (bar 0): {'met' if missing == 0 else 'MISSED'}",
        f"  p99 ms by minute: {', '.join(format(phase['from_due_ms']['p99'], '.1f') for phase in phases)};"
        f" last to first {last / max(first, 1e-9):.2f} (bar {P99_GROWS_MOST}): {'met' if last <= P99_GROWS_MOST * first else 'MISSED'}",
        f"  CPU us a vote: server {cpu['server']:.1f}, PostgreSQL {cpu['postgres']:.1f}; {rows} rows of {pages / max(rows, 1):.0f} bytes with their indexes"])
    return {"text": text, "missing": missing, "rows": rows, "bytes": pages}

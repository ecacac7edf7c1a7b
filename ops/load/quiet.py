"""The scenario `quiet` of ops/bench: 2,000 votes a second on 64 connections, on a fixed schedule.

Batches then hold about one vote, so this is what a vote costs and takes by itself. Bars: p50 0.5 ms, p99 2.5 ms from the
moment a vote was due, and 250 us of server and PostgreSQL together. The bare server is asked in turn at the same rate:
its latency is what the machine takes for an exchange without a vote. So is a plain server, which stores one row
for each request in a transaction of its own and checks nothing: what that costs and takes is the machine's, too.
"""
import statistics

RATE, CONNECTIONS = 2000, 64
P50_MOST_MS, P99_MOST_MS, CPU_MOST_US = 0.5, 2.5, 250


def measure(bench, answer_bytes):
    """Returns {"text": what to print, "row": …}; `bench` is ready to serve."""
    bench.open_period()
    bench.warm("spread.tsv")
    plain_server = bench.plain_server()
    plain = [bench.run("votes", plain_server, CONNECTIONS, RATE) for _ in range(bench.args.rounds)]
    row = bench.in_turn("votes", bench.ceiling(answer_bytes), CONNECTIONS, RATE)
    plain += [bench.run("votes", plain_server, CONNECTIONS, RATE) for _ in range(bench.args.rounds)]
    cpu = row["cpu_us"]

    def of_plain(get):
        return statistics.median(map(get, plain))

    def verdict(value, most):
        return f"{value:.2f} (bar {most}): {'met' if value <= most else 'MISSED'}"
    text = "\n".join([
        f"quiet: {RATE} votes/s on {CONNECTIONS} connections; {bench.args.rounds} rounds of {bench.args.seconds:g} s",
        f"  p50 ms {verdict(row['p50_ms'], P50_MOST_MS)}; the bare server's {row['ceiling_p50_ms']:.2f}, {row['p50_ms'] / row['ceiling_p50_ms']:.1f} times that",
        f"  p99 ms {verdict(row['p99_ms'], P99_MOST_MS)}; the bare server's {row['ceiling_p99_ms']:.2f}, {row['p99_ms'] / row['ceiling_p99_ms']:.1f} times that",
        f"  CPU us a vote {verdict(cpu['server'] + cpu['postgres'], CPU_MOST_US)}; server {cpu['server']:.1f}, PostgreSQL {cpu['postgres']:.1f}",
        f"  a plain server: p50 {of_plain(lambda r: r['latency_ms']['p50']):.2f} ms, p99 {of_plain(lambda r: r['latency_ms']['p99']):.2f} ms; "
        f"CPU us a vote: server {of_plain(lambda r: r['cpu_us']['server']):.1f}, PostgreSQL {of_plain(lambda r: r['cpu_us']['postgres']):.1f}"])
    return {"text": text, "row": row}

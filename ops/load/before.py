"""The scenario `before` of ops/bench: this build and that of another checkout, an older one, run in turn on data of the same size.

Each has a database and a server of its own; both servers run all the time, and one of them is asked. Bar: in no scenario less than 0.97 times
the answers a second, in the middle of all rounds.
"""
import statistics

RATIO_LEAST = 0.97


def measure(bench, other, scenarios):
    """Returns {"text": what to print, ...}; `bench` is ready to serve, `other` is made ready here."""
    connections = bench.args.connections[0]
    rounds = {}
    try:
        other.prepare()
        for scenario in scenarios:
            both = (other, bench)
            for each in both:
                each.ready_for(scenario)
            rounds[scenario] = []
            for number in range(bench.args.rounds):
                runs = {each.name: each.run(scenario, each.ours, connections) for each in (both if number % 2 else reversed(both))}
                rounds[scenario].append({which: {"rps": run["rps"], "p99_ms": run["latency_ms"]["p99"], **run["cpu_us"]} for which, run in runs.items()})
    finally:
        other.stop()
    result = {"connections": connections, "rounds": rounds}
    result["text"] = describe(result, bench.name, other.name)
    return result


def describe(result, now, then):
    lines = ["| scenario | answers/s before | now | ratio (bar 0.97), each round | CPU of server and PostgreSQL us before | now | ratio |", "|---|---|---|---|---|---|---|"]
    for scenario, rounds in result["rounds"].items():
        def middle(which, get):
            return statistics.median(get(each[which]) for each in rounds)

        def ratios(get):
            return [get(each[now]) / max(get(each[then]), 1e-9) for each in rounds]

        def rate(run):
            return run["rps"]

        def cost(run):
            return run["server"] + run["postgres"]
        answered = statistics.median(ratios(rate))
        lines.append(f"| {scenario} | {middle(then, rate):.0f} | {middle(now, rate):.0f} | {answered:.2f}: {'met' if answered >= RATIO_LEAST else 'MISSED'}"
                     f" ({min(ratios(rate)):.2f} to {max(ratios(rate)):.2f}) | {middle(then, cost):.1f} | {middle(now, cost):.1f} | {statistics.median(ratios(cost)):.2f} |")
    return f"before and now, {result['connections']} connections, closed loop\n\n" + "\n".join(lines)

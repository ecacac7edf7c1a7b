"""The scenario `before` of ops/bench: this build and that of another checkout, an older one, run in turn on data of the same size.

Each has a database and a server of its own; both servers run all the time, and one of them is asked. Bar: in no scenario less than 0.97 times
the answers a second, in the middle of all rounds. Rounds differ, so the interval is printed, too, that holds the middle of very many rounds in
19 cases of 20; a smaller difference proves nothing. That takes six rounds.
"""
import math
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


def middle_of_many(values):
    """Between which of these values the median of all such values lies, with a chance of 95 % at least: the k-th from either end, by the binomial
    distribution. None where there are fewer than six."""
    ordered, n = sorted(values), len(values)
    if n < 6:
        return None
    outside, k = 1 / 2**n, 0
    while k + 1 < n / 2 and 2 * (outside + math.comb(n, k + 1) / 2**n) <= 0.05:
        k += 1
        outside += math.comb(n, k) / 2**n
    return ordered[k], ordered[n - 1 - k]


def describe(result, now, then):
    lines = ["| scenario | answers/s before | now | ratio (bar 0.97) | between | CPU of server and PostgreSQL us before | now | ratio | between |",
             "|---|---|---|---|---|---|---|---|---|"]
    for scenario, rounds in result["rounds"].items():
        def middle(which, get):
            return statistics.median(get(each[which]) for each in rounds)

        def ratios(get):
            values = [get(each[now]) / max(get(each[then]), 1e-9) for each in rounds]
            between = middle_of_many(values)
            return statistics.median(values), "{:.2f} to {:.2f}".format(*between) if between else "too few rounds"

        def rate(run):
            return run["rps"]

        def cost(run):
            return run["server"] + run["postgres"]
        answered, answered_between = ratios(rate)
        costs, costs_between = ratios(cost)
        lines.append(f"| {scenario} | {middle(then, rate):.0f} | {middle(now, rate):.0f} | {answered:.2f}: {'met' if answered >= RATIO_LEAST else 'MISSED'}"
                     f" | {answered_between} | {middle(then, cost):.1f} | {middle(now, cost):.1f} | {costs:.2f} | {costs_between} |")
    return f"before and now, {result['connections']} connections, closed loop\n\n" + "\n".join(lines)

"""The scenarios `cold` and `restart` of ops/bench: votes by voters whom the server does not have in memory.

cold     votes, every voter once: a server that has just started, one project, each of the profiles votes once.
restart  first seconds after a restart: the 10,000 profiles of `votes` have cast so many votes each, the server
         is stopped and started, and what it takes in its first seconds counts, projects being loaded and all.

Both are compared with the warm rate of the same run: the scenario `votes`, whose voters were all asked for before.
Bar: half of it.
"""
RATIO_LEAST = 0.5
PROFILES = 410_000  # some are archived
FIRST_SECONDS = 5


def voters_in(path):
    return sum(1 for _ in open(path))


def warm_rate(bench, connections):
    bench.new_period()
    bench.warm("spread.tsv")
    return bench.run("votes", bench.ours, connections)


def check(bench, failure, name, out, before, wanted=None):
    grown = bench.votes_counted() - before
    right = out["acknowledged_votes"] <= grown <= out["acknowledged_votes"] + out["unknown_votes"]
    if wanted is not None and (out["acknowledged_votes"] != wanted or out["unknown_votes"]):
        right = False
    if not right:
        raise failure(f"{name}: {out['acknowledged_votes']} votes were acknowledged, {out['unknown_votes']} unknown, of {wanted}; "
                      f"the totals grew by {grown}; {out['by_status']}")


def everyone_once(bench, connections, failure):
    bench.new_period()
    bench.restart_service()
    voters = bench.home / "hot.tsv"
    before = bench.votes_counted()
    out = bench.timed_load(bench.ours, ["--connections", connections, "--requests", voters_in(voters),
                                        "votes", "--projects", bench.hot, "--tokens", voters])
    check(bench, failure, "cold", out, before, voters_in(voters))
    return out


def after_restart(bench, connections, failure):
    """Everybody has `votes_each` votes, in this period and those before; it continues with the pairs that are left."""
    bench.new_period()
    wanted = bench.args.votes_each * voters_in(bench.home / "spread.tsv")
    cast = bench.load(bench.ours, ["--connections", 256, "--requests", wanted, *bench.words("votes", bench.ours)])
    if cast["acknowledged_votes"] != wanted:
        raise failure(f"restart: {cast['acknowledged_votes']} of {wanted} votes could be cast; {cast['by_status']}")
    bench.pairs["votes"] = cast["next_pair"]
    before = bench.votes_counted()
    bench.restart_service()
    out = bench.timed_load(bench.ours, ["--connections", connections, "--seconds", FIRST_SECONDS, *bench.words("votes", bench.ours)])
    bench.pairs["votes"] = out["next_pair"]
    check(bench, failure, "restart", out, before)
    return out


def measure(bench, which, failure):
    """Returns {"text": what to print, ...}; `bench` is ready to serve."""
    run = {"cold": everyone_once, "restart": after_restart}[which]
    lines, rows = [], []
    for connections in bench.args.connections:
        warm = warm_rate(bench, connections)
        out = run(bench, connections, failure)
        ratio = out["rps"] / max(1, warm["rps"])
        rows.append({"connections": connections, "ratio": ratio, "warm": warm, which: out})
        lines.append(f"{which}, {connections} connections: {out['rps']:.0f} votes/s of {warm['rps']:.0f} warm, ratio {ratio:.2f} (bar {RATIO_LEAST}"
                     + (")" if ratio >= RATIO_LEAST else ", MISSED)")
                     + f"; p99 {out['latency_ms']['p99']:.1f} ms; CPU us a vote: server {out['cpu_us']['server']:.1f} of {warm['cpu_us']['server']:.1f} warm, "
                     f"PostgreSQL {out['cpu_us']['postgres']:.1f} of {warm['cpu_us']['postgres']:.1f}; not 200: {out['wrong_status'] + out['errors']}")
    return {"text": "\n".join(lines), "rows": rows}

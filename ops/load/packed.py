"""The scenario `packed` of ops/bench: the pages of `listings` and `voters` with Accept-Encoding: gzip, in turn with the same as they are.

The server packs for about a tenth of each thread's time (http/server/packer.hpp) and sends the rest plain: under a load that takes all of it most
answers are plain, which is what keeps the ratio near 1.
"""
import http.client
import statistics

PAGES = {"listings": "/api/v2/internal/listings?limit=50", "voters": "/api/v2/projects/{project}/voters?limit=50"}


def sizes(bench, path, failure):
    """Bytes of the page as it is, and packed."""
    link = http.client.HTTPConnection("127.0.0.1", bench.ours.port, timeout=60)
    out = []
    for coding in ("identity", "gzip"):
        link.request("GET", path, headers={"Accept-Encoding": coding, "X-Service-Client": "packed@1"})
        answer = link.getresponse()
        body = answer.read()
        if answer.status != 200 or answer.getheader("Content-Encoding", "identity") != coding:
            raise failure(f"GET {path} with Accept-Encoding: {coding}: {answer.status}, {answer.getheader('Content-Encoding')}")
        out.append(len(body))
    link.close()
    return out


def measure(bench, failure):
    """Returns {"text": what to print, ...}; `bench` is ready to serve."""
    connections, rows, lines = bench.args.connections[0], [], []
    for scenario, path in PAGES.items():
        bench.ready_for(scenario)
        plain_bytes, packed_bytes = sizes(bench, path.format(project=bench.spread[0]), failure)
        plain, packed = [], []
        for _ in range(bench.args.rounds):
            plain.append(bench.run(scenario, bench.ours, connections))
            packed.append(bench.run(scenario, bench.ours, connections, more=["--gzip"]))
        row = {"scenario": scenario, "plain_bytes": plain_bytes, "packed_bytes": packed_bytes,
               "rps": [statistics.median(run["rps"] for run in runs) for runs in (plain, packed)],
               "p99_ms": [statistics.median(run["latency_ms"]["p99"] for run in runs) for runs in (plain, packed)]}
        rows.append(row)
        sent = statistics.median(run["bytes"] / max(1, run["requests_total"]) for run in packed)
        ratio = statistics.median(b["rps"] / a["rps"] for a, b in zip(plain, packed))
        lines.append(f"  {scenario}: {plain_bytes} bytes plain, {packed_bytes} packed, {sent:.0f} an answer with its head under load; {row['rps'][1]:.0f}/s with gzip against {row['rps'][0]:.0f}/s, "
                     f"{ratio:.2f} times; p99 {row['p99_ms'][1]:.2f} ms against {row['p99_ms'][0]:.2f} ms")
    return {"rows": rows, "text": "\n".join([f"packed: pages with Accept-Encoding: gzip, {connections} connections, {bench.args.rounds} rounds", *lines])}

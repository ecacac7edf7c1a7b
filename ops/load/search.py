"""The scenario `search` of ops/bench: texts looked up among 100,000 markets, by one client and by four.

The markets are written straight into the database, for as many profiles, and the texts are parts of what people
are called: common and rare first names, whole names, usernames, words of descriptions, and what nobody has. Bar:
p99 of a search below 10 ms. The list of all markets is timed beside it, and the first search, which reads
all names into memory.
"""
import http.client
import random
import threading
import time
import urllib.parse

MARKETS, CLIENTS, P99_MOST_MS = 100_000, (1, 4), 10
PROFILES = MARKETS * 97 // 96 + 200  # some are archived
SEARCHES = 500  # of each client
MAKE = f"""
  INSERT INTO wei_transfers (seq, at, profile_id, kind, amount)
    SELECT 2000000000000 + p.id, now(), p.id, 'CREATION', 10::numeric ^ 17 FROM profiles p
    WHERE NOT p.archived AND NOT EXISTS (SELECT FROM markets m WHERE m.profile_id = p.id) ORDER BY p.id LIMIT {MARKETS};
  INSERT INTO markets (profile_id, tier, liquidity, base_price, creation_cost, locked, seq, created_at, updated_at, trust_price, distrust_price)
    SELECT profile_id, 'NORMAL', 1500, 10::numeric ^ 16, amount, amount, seq, at, at, 5 * 10::numeric ^ 15, 5 * 10::numeric ^ 15
    FROM wei_transfers WHERE kind = 'CREATION' AND seq > 2000000000000"""


def texts_of(bench, count):
    people = bench.texts(f"SELECT u.display_name || E'\\t' || u.username FROM profiles p JOIN users u ON u.id = p.user_id ORDER BY md5(p.id::text) LIMIT {count}")
    draw = random.Random(1)
    out = []
    for line in people:
        name, username = line.split("\t")
        out.append(draw.choice((name.split()[0], name, name.split()[-1], username, username[:4], "review", name[::-1])).lower()[:50])
    return out


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(share * len(values)))] * 1000


def time_all(port, paths, failure):
    """The seconds of each, asked one after the other on one connection."""
    link = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    out = []
    for path in paths:
        began = time.perf_counter()
        link.request("GET", path)
        answer = link.getresponse()
        body = answer.read()
        out.append(time.perf_counter() - began)
        if answer.status != 200:
            raise failure(f"GET {path}: {answer.status} {body[:200]!r}")
    link.close()
    return out


def measure(bench, memory_of, failure):
    """Returns {"text": what to print, ...}; `bench` is ready to serve."""
    bench.query(MAKE)
    bench.query("VACUUM ANALYZE markets")
    lines, rows = [], []
    texts = texts_of(bench, SEARCHES)
    before = memory_of(bench.ours.pid)[0]
    first = time_all(bench.ours.port, ["/api/v1/markets/search?limit=20&q=nobody"], failure)[0]
    lines.append(f"  the first search, which reads all names: {first * 1000:.0f} ms; the process grew by {memory_of(bench.ours.pid)[0] - before:.0f} MiB")
    kinds = {"search": ["/api/v1/markets/search?limit=20&q=" + urllib.parse.quote(each) for each in texts],
             "all markets, by page": [f"/api/v2/markets?limit=20&offset={20 * (i % 500)}" for i in range(SEARCHES)]}
    for kind, paths in kinds.items():
        time_all(bench.ours.port, paths[:200], failure)
        for clients in CLIENTS:
            times = [[] for _ in range(clients)]
            threads = [threading.Thread(target=lambda i=i: times[i].extend(time_all(bench.ours.port, paths[i:] + paths[:i], failure))) for i in range(clients)]
            for each in threads:
                each.start()
            for each in threads:
                each.join()
            every = [one for some in times for one in some]
            if len(every) != clients * len(paths):
                raise failure(f"{kind}: a client failed")
            row = {"kind": kind, "clients": clients, "p50_ms": percentile(every, 0.5), "p99_ms": percentile(every, 0.99), "most_ms": max(every) * 1000}
            rows.append(row)
            bar = "" if kind != "search" else f" (bar < {P99_MOST_MS} ms: {'met' if row['p99_ms'] < P99_MOST_MS else 'MISSED'})"
            lines.append(f"  {kind}, {clients} client{'s' if clients > 1 else ''}: p50 {row['p50_ms']:.2f} ms, p99 {row['p99_ms']:.2f} ms{bar}, most {row['most_ms']:.1f} ms")
    return {"rows": rows, "text": "\n".join([f"search: {MARKETS} markets"] + lines)}

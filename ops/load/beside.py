"""The scenario `beside` of ops/bench: votes while somebody else does what costs most.

Votes arrive at half the rate that they reach alone, without anything beside them and then with a burden, for each
burden in turn. Bar: their p99 within 1.5 times that of the run before, without it. The burdens are those of one determined stranger, with
all rate limits off:

  flood     the same 500 accounts a request, chosen for the bytes that they share, 8 times a second
  deep      pages far behind the first: of trades, of tips, of a search, 40 a second
  unread    200 connections that ask for the whole board over and over and read nothing
  keyed     writes with an Idempotency-Key, 500 a second
  board     pages of the board, 100 a second

`reads` is no burden of votes: there others read beside one address that floods the same list (ops/load/shares.py).
"""
import contextlib
import itertools
import json
import secrets
import socket
import statistics
import threading
import time

import shares

SHARE, P99_MOST = 0.5, 1.5
FLOOD_REQUESTS, FLOOD_KEYS = 24, 500
UNREAD_CONNECTIONS, UNREAD_ASKED = 200, 16
BOARD = b"GET /api/v2/internal/listings?limit=100 HTTP/1.1\r\nHost: beside\r\nX-Service-Client: beside@1\r\n\r\n"


class Asker(threading.Thread):
    """Sends what `requests` yields, at `rate` a second, over a connection of its own. The client of a stranger is on another machine; this
    one takes the server's cores, so it takes as little of them as it can: of an answer it reads the head, and the kernel drops the rest."""

    def __init__(self, port, rate, requests):
        super().__init__(daemon=True)
        self.port, self.rate, self.requests = port, rate, requests
        self.over, self.answers = threading.Event(), {}
        self.room = bytearray(2 << 20)

    def ask(self, link, method, path, headers, body):
        """Returns the status, and the connection unless it is to be closed."""
        content = (body or "").encode()
        fields = {"Host": "beside", "X-Service-Client": "beside@1", "Content-Length": len(content), **headers}
        head = "".join([f"{method} {path} HTTP/1.1\r\n", *(f"{name}: {value}\r\n" for name, value in fields.items()), "\r\n"])
        link.sendall(head.encode() + content)
        came = b""
        while b"\r\n\r\n" not in came:
            got = link.recv_into(self.room, 64 << 10)
            if not got:
                raise OSError("the connection was closed")
            came += self.room[:got]
        head, _, rest = came.partition(b"\r\n\r\n")
        told = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:])
        left = int(told[b"content-length"]) - len(rest)
        while left > 0:
            got = link.recv_into(self.room, min(left, len(self.room)), socket.MSG_TRUNC)  # of TCP: up to so many bytes are dropped, none is copied
            if not got:
                raise OSError("the connection was closed")
            left -= got
        if told.get(b"connection") == b"close":
            link.close()
            link = None
        return int(head.split(b" ", 2)[1]), link

    def run(self):
        link, due = None, time.monotonic()
        for method, path, headers, body in self.requests:
            due += 1 / self.rate
            if self.over.wait(max(0.0, due - time.monotonic())):
                break
            try:
                link = link or socket.create_connection(("127.0.0.1", self.port), timeout=10)
                status, link = self.ask(link, method, path, headers, body)
            except OSError:
                status, link = 0, None
            self.answers[status] = self.answers.get(status, 0) + 1


@contextlib.contextmanager
def asking(port, rate, requests):
    asker = Asker(port, rate, requests)
    asker.start()
    try:
        yield asker.answers
    finally:
        asker.over.set()
        asker.join()


def flood(bench):
    """Addresses that differ in their middle only: a hash over the first or the last bytes sees one of them."""
    json_type = {"Content-Type": "application/json"}
    bodies = [json.dumps({"addresses": ["0x" + "11" * 8 + secrets.token_hex(4) + "22" * 8 for _ in range(FLOOD_KEYS)]})
              for _ in range(FLOOD_REQUESTS)]
    return asking(bench.ours.port, 8, (("POST", "/api/v2/score/addresses", json_type, body) for body in itertools.cycle(bodies)))


def deep(bench):
    token = {"Authorization": "Bearer " + open(bench.home / "spread.tsv").readline().rstrip("\n").split("\t")[1]}
    market = bench.markets[-1]
    pages = [("GET", f"/api/v1/markets/{market}/tx/history?limit=100&offset={offset}", {}, None) for offset in range(1000, 40_000, 3000)]
    pages += [("GET", f"/api/v2/xp/tips/{side}?limit=50&offset={offset}", token, None) for side in ("sent", "received") for offset in (500, 5000, 50_000)]
    pages += [("GET", f"/api/v2/users/search?query=an&limit=50&offset={offset}", {}, None) for offset in (5000, 9900)]
    return asking(bench.ours.port, 40, itertools.cycle(pages))


@contextlib.contextmanager
def unread(bench):
    sockets = []
    try:
        for _ in range(UNREAD_CONNECTIONS):
            each = socket.socket()
            each.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            each.connect(("127.0.0.1", bench.ours.port))
            each.sendall(BOARD * UNREAD_ASKED)
            sockets.append(each)
        yield None  # nothing is read, so nothing is counted
    finally:
        for each in sockets:
            each.close()


def keyed(bench):
    """Tips of one XP, each under a key of its own."""
    people = [line.rstrip("\n").split("\t") for line in itertools.islice(open(bench.home / "spread.tsv"), 1000)]

    def tips():
        for number in itertools.count():
            sender, receiver = people[number % len(people)], people[(number + 1) % len(people)]
            yield ("POST", "/api/v2/xp/tip",
                   {"Authorization": "Bearer " + sender[1], "Content-Type": "application/json", "Idempotency-Key": secrets.token_hex(16)},
                   json.dumps({"receiverUserkey": "profileId:" + receiver[0], "amount": 1}))
    return asking(bench.ours.port, 500, tips())


def board(bench):
    return asking(bench.ours.port, 100, itertools.repeat(("GET", "/api/v2/internal/listings?limit=100", {}, None)))


BURDENS = {"flood": flood, "deep": deep, "unread": unread, "keyed": keyed, "board": board}
KINDS = [*BURDENS, "reads"]


def measure(bench, memory_of, failure):
    """Returns {"text": what to print, ...}; `bench` is ready to serve."""
    bench.open_markets()
    connections = bench.args.connections[0]
    bench.run("trades", bench.ours, connections)  # a history to page through
    bench.open_period()
    bench.warm("spread.tsv")
    wanted = bench.args.burdens or KINDS
    rounds, burdens = [], [name for name in wanted if name in BURDENS]
    rate = SHARE * bench.run("votes", bench.ours, connections)["rps"] if burdens else 0
    reads = shares.measure(bench, failure) if "reads" in wanted else []
    for _ in range(bench.args.rounds if burdens else 0):
        one = {}
        for name in burdens:
            burden = BURDENS[name]
            alone = bench.run("votes", bench.ours, connections, rate)["latency_ms"]["p99"]
            with burden(bench) as answers:
                beside = bench.run("votes", bench.ours, connections, rate)["latency_ms"]["p99"]
            one[name] = {"alone": alone, "beside": beside, "answers": answers and dict(answers)}
            if answers is not None and (not answers.get(200) or any(400 <= status < 500 for status in answers)):
                raise failure(f"beside: {name} is no burden, its requests are refused or not answered: {answers}")
        one["rss_mib"] = memory_of(bench.ours.pid)[0]
        rounds.append(one)
    result = {"rate": rate, "rounds": rounds, "reads": reads}
    result["text"] = "\n".join(([describe(result)] if rounds else []) + ([shares.describe(reads)] if reads else []))
    return result


def describe(result):
    rounds = result["rounds"]
    burdens = [name for name in BURDENS if name in rounds[0]]
    alone = [r[name]["alone"] for r in rounds for name in burdens]
    lines = [f"beside: votes at {result['rate']:.0f}/s, p99 {statistics.median(alone):.2f} ms alone ({min(alone):.2f}..{max(alone):.2f}); {len(rounds)} rounds, "
             f"{max(r['rss_mib'] for r in rounds):.0f} MiB at the end"]
    for name in burdens:
        beside = statistics.median(r[name]["beside"] for r in rounds)
        ratio = statistics.median(r[name]["beside"] / max(r[name]["alone"], 1e-9) for r in rounds)
        lines.append(f"  {name}: p99 {beside:.2f} ms, {ratio:.2f} times (bar <= {P99_MOST}): {'met' if ratio <= P99_MOST else 'MISSED'}"
                     f"  answers {rounds[-1][name]['answers']}")
    return "\n".join(lines)

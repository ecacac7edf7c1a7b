"""The scenario `chain` of ops/bench: the service catches up with a chain, alone and beside votes.

A local node (anvil) gets transactions of 1,000 events each: some people join, then they review one another; enough of that for a
run, and the service makes records of it all. Alone: the service starts far behind and stores them all; bars: 5,000 events a second,
and never more than 192 MiB above an idle service that follows no chain. Beside: votes arrive at half the rate that they reach alone,
first without events, then while the service catches up; bar: their p99 within 1.5 times that without.
"""
import http.client
import json
import pathlib
import signal
import socket
import statistics
import subprocess
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
ANVIL = ROOT / "ops/chain/node_modules/@foundry-rs/anvil-linux-amd64/bin/anvil"
REVIEWS, PROFILES, WALLET = "0x" + "c0de" * 10, "0x" + "beef" * 10, "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"
REVIEW_CREATED = "bcba601f87e317f5f2e5d40544c705eb73096974a8f4836ca5c4cd8f012451d9"
PROFILE_CREATED = "9f150021d8fd04eb219a39e3019273bddf99a9a2e434dd2aa8132e32ea9244b0"
LOGS_EACH, FINAL_AFTER = 1000, 200
PEOPLE, FIRST_ADDRESS, ID_OFFSET = 2 * LOGS_EACH, 0xA11CE0000, 1_000_000_000
SHARE, P99_MOST, EVENTS_LEAST, ABOVE_IDLE_MOST_MIB = 0.5, 1.5, 5000, 192


def emitter_code(topics, data):
    """A contract that emits as many logs as word 0 of its input says. Topics and words of data are words of the input, those with a
    plus behind them counted on from log to log. It answers a short call, such as that for a text, with nothing."""
    def value(word, above):
        counted = word.endswith("+")
        return f"60{32 * int(word.rstrip('+')):02x}35" + (f"{0x81 + above:02x}01" if counted else "")
    store = "".join(value(word, 0) + f"60{32 * at:02x}52" for at, word in enumerate(data))
    push = "".join(value(word, above) for above, word in enumerate(reversed(topics)))
    body = store + push + f"60{32 * len(data):02x}6000a{len(topics)}" + "600101" + "600a56"  # LOG; i + 1; from the start
    head = "5b" + "80" + value("0", 0) + "1115"  # n > i?
    end = 10 + (len(head) + 8 + len(body)) // 2
    return f"0x60ff361061{end:04x}57" + "6000" + head + f"61{end:04x}57" + body + "5b00"


class Node:
    """anvil on a port of its own."""

    def __init__(self, log, failure):
        with socket.create_server(("127.0.0.1", 0)) as probe:
            self.port = probe.getsockname()[1]
        self.failure, self.reviews, self.events = failure, 0, 0
        with open(log, "wb") as out:
            self.process = subprocess.Popen([str(ANVIL), "--host", "127.0.0.1", "--port", str(self.port), "--silent"],
                                            stdout=out, stderr=out, stdin=subprocess.DEVNULL, start_new_session=True)
        until = time.monotonic() + 30
        while True:
            try:
                self.ask("anvil_setCode", REVIEWS, emitter_code(["2", "3+", "4", "5+"], ["6", "1+", "7"]))
                self.ask("anvil_setCode", PROFILES, emitter_code(["2", "1+", "3+"], []))
                return
            except OSError:
                if time.monotonic() > until or self.process.poll() is not None:
                    self.stop()
                    raise failure(f"the node of a chain did not start; see {log}") from None
                time.sleep(0.05)

    def ask(self, method, *params):
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            link.request("POST", "/", json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}), {"Content-Type": "application/json"})
            answer = json.loads(link.getresponse().read())
        finally:
            link.close()
        if "error" in answer:
            raise self.failure(f"{method}: {answer['error']}")
        return answer["result"]

    def send(self, to, *words):
        data = "0x" + "".join(word if isinstance(word, str) else f"{word:064x}" for word in (LOGS_EACH, *words))
        self.ask("eth_sendTransaction", {"from": WALLET, "to": to, "gas": hex(8_000_000), "data": data})
        self.events += LOGS_EACH

    def emit(self, reviews):
        """So many, in final blocks, of people by people; with the first of them the people join."""
        if not self.events:
            for first in range(0, PEOPLE, LOGS_EACH):
                self.send(PROFILES, first + 1, PROFILE_CREATED, FIRST_ADDRESS + first, 0, 0, 0, 0)
        for first in range(self.reviews, self.reviews + reviews, LOGS_EACH):
            turn = first // LOGS_EACH  # nobody reviews themselves: the one is even, the other one is not
            author, subject = FIRST_ADDRESS + turn * 38 % 1000, FIRST_ADDRESS + (turn * 102 + 501) % 1000
            self.send(REVIEWS, first, REVIEW_CREATED, author, 0, subject, first // LOGS_EACH % 3, 0)
        self.reviews += reviews
        self.ask("anvil_mine", hex(FINAL_AFTER))

    def hold(self):
        self.process.send_signal(signal.SIGSTOP)

    def release(self):
        self.process.send_signal(signal.SIGCONT)

    def stop(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


class Progress(threading.Thread):
    """Watches the service until the whole chain is stored; `took` seconds from its beginning."""

    def __init__(self, bench, head):
        super().__init__(daemon=True)
        self.bench, self.head, self.took, self.began = bench, head, None, time.monotonic()
        self.start()

    def run(self):
        while time.monotonic() < self.began + 600:
            tip = json.loads(self.bench.get("/api/v2/chain/status")).get("tip")
            if tip and tip["number"] >= self.head:
                self.took = time.monotonic() - self.began
                return
            time.sleep(0.02)


def start_behind(bench, node, reviews):
    """A service that begins to store so many reviews once the node is released."""
    node.emit(reviews)
    head = int(node.ask("eth_blockNumber"), 16)
    node.hold()
    bench.restart_service()
    return head


def catch_up(bench, node, head, beside, failure):
    """Seconds that storing took, and what `beside` came to."""
    node.release()
    progress = Progress(bench, head)
    out = beside()
    progress.join()
    stored, applied, records = (bench.query(sql)[0] for sql in (
        "SELECT count(*) FROM chain_events", "SELECT count(*) FROM chain_events WHERE status = 'applied'", "SELECT count(*) FROM reviews WHERE source = 'chain'"))
    if progress.took is None or stored != node.events or applied != node.events or records != node.reviews:
        raise failure(f"chain: of {node.events} events {stored} are stored, {applied} applied; {records} of {node.reviews} reviews are there")
    return progress.took, out


def measure(bench, memory_of, failure):
    """Returns {"text": what to print, ...}; `bench` is ready to serve."""
    connections, reviews = bench.args.connections[0], bench.args.chain_events // LOGS_EACH * LOGS_EACH
    bench.open_period()
    bench.warm("spread.tsv")
    rate = SHARE * bench.run("votes", bench.ours, connections)["rps"]
    bench.restart_service()
    idle = memory_of(bench.ours.pid)[0]
    node = Node(bench.home / "anvil.log", failure)
    rounds = []
    try:
        bench.args.serve += ["--chain-endpoints", f"http://127.0.0.1:{node.port}", "--chain-id", "31337", "--chain-start-block", "1",
                             "--chain-contracts", f"review={REVIEWS},profile={PROFILES}",
                             "--chain-kinds", "identity,review", "--chain-id-offset", str(ID_OFFSET), "--chain-poll", "100", "--chain-timeout", "60000"]
        for _ in range(bench.args.rounds):
            before = node.events
            head = start_behind(bench, node, reviews)
            alone = node.events - before
            took, _ = catch_up(bench, node, head - 2, lambda: None, failure)
            most = memory_of(bench.ours.pid)[1]
            bench.warm("spread.tsv")
            without = bench.run("votes", bench.ours, connections, rate)["latency_ms"]["p99"]
            head = start_behind(bench, node, reviews)
            bench.warm("spread.tsv")
            took_beside, voted = catch_up(bench, node, head - 2, lambda: bench.run("votes", bench.ours, connections, rate), failure)
            rounds.append({"alone": alone / took, "above_idle_mib": most - idle, "beside": reviews / took_beside, "beside_s": took_beside,
                           "without": without, "p99": voted["latency_ms"]["p99"]})
    finally:
        node.stop()
    result = {"rate": rate, "reviews": reviews, "rounds": rounds}
    result["text"] = describe(result)
    return result


def describe(result):
    rounds = result["rounds"]

    def middle(get):
        return statistics.median(map(get, rounds))

    def verdict(met):
        return "met" if met else "MISSED"
    alone, above = middle(lambda r: r["alone"]), max(r["above_idle_mib"] for r in rounds)
    ratio = middle(lambda r: r["p99"] / max(r["without"], 1e-9))
    return "\n".join([
        f"chain: {result['reviews']} events of {LOGS_EACH} a transaction from a local node; {len(rounds)} rounds",
        f"  alone: {alone:.0f} events/s, {min(r['alone'] for r in rounds):.0f}..{max(r['alone'] for r in rounds):.0f} (bar >= {EVENTS_LEAST}): {verdict(alone >= EVENTS_LEAST)}",
        f"  memory: {above:.0f} MiB above idle at most (bar <= {ABOVE_IDLE_MOST_MIB}): {verdict(above <= ABOVE_IDLE_MOST_MIB)}",
        f"  beside {result['rate']:.0f} votes/s: {middle(lambda r: r['beside']):.0f} events/s for {middle(lambda r: r['beside_s']):.1f} s; p99 of votes "
        f"{middle(lambda r: r['p99']):.2f} ms against {middle(lambda r: r['without']):.2f} without, {ratio:.2f} times (bar <= {P99_MOST}): {verdict(ratio <= P99_MOST)}"])

"""What `--only beside` of ops/bench says of reads: others ask for a list while one address floods it.

One address has 200 connections and asks for the same read 100 times a second, a fifth of what is allowed to an address, whatever becomes of the
questions before. Meanwhile somebody at another address asks for that read, 20 times a second or as often as the rate of its route lets them, an
operator for a list of the console, and both did so without the flood just before. Bars: their p99 within 2 times, and no 503 for them. The floods are every read of the OpenAPI document that anybody may
ask for, as its examples ask for it and with pages of 50 rows, and the console's own list. A read that is not answered with 200 there is named and not
flooded.

    python3 ops/load/shares.py    names the reads
"""
import functools
import json
import math
import operator
import pathlib
import selectors
import socket
import statistics
import sys
import threading
import time
import tomllib
import typing
import urllib.parse
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import reference  # noqa: E402

P99_MOST, RATE, CONNECTIONS = 2, 100, 200
SECONDS_MOST = 5  # of each measurement: there are many reads
LEAST_MS = 5  # p99 below this is as good as any: a thread that sleeps wakes that late on a busy machine
OTHERS_RATE = 20
FLOOD_FROM, OTHERS_FROM = "127.0.0.2", "127.0.0.3"
SETTINGS = pathlib.Path(__file__).resolve().parents[2] / "config" / "settings.toml"


class Read(typing.NamedTuple):
    method: str
    path: str
    body: dict | None
    rate_class: str = "read"  # which ops/bench does not bound


CONSOLE = Read("GET", "/admin/api/v1/keys?limit=50", None)
ROWS = 50
# What the examples name and the database of ops/bench has otherwise; {market} is the last of its markets.
NAMED = {"query": "an", "q": "an", "after": "2020-01-01T00:00:00Z"}
# Parameters of which one or another has to be there, so that none is required by itself.
ONE_OF = {"type": "review", "activityId": 1, "viewerProfileId": 9, "targetProfileId": 7, "authorUserkey": "profileId:7", "subjectUserkey": "profileId:9",
          "userkey": "profileId:7"}
SEARCH = "GET /api/v2/users/search"


def sought(parameter, path):
    """The value of a parameter; None where it is left out."""
    name = parameter["name"]
    if name == "limit":
        return min(ROWS, parameter["schema"].get("maximum", ROWS))
    if not parameter.get("required"):
        return ONE_OF.get(name)
    if name == "username" and ("/projects/" in path or "/listings/" in path):
        return "{project}"
    if "/markets/" in path and name in ("profileId", "profileIds"):
        return "{market}"
    value = NAMED.get(name, parameter.get("example"))
    if value is None:
        raise ValueError(f"{path}: {name} has no example")
    return ",".join(map(str, value)) if isinstance(value, list) else value


def reads_of(document):
    """{name: Read} of every read of the API that anybody may ask for."""
    def seen(value):
        while "$ref" in value:
            value = functools.reduce(operator.getitem, value["$ref"][2:].split("/"), document)
        return value

    out = {}
    for path, item in document["paths"].items():
        for verb, operation in item.items():
            if not path.startswith("/api/") or operation["x-access"] != "open" or not (verb == "get" or operation["x-rate-class"] == "read"):
                continue
            query, to = [], path
            for parameter in map(seen, operation.get("parameters", [])):
                value = sought(parameter, path)
                if value is not None and parameter["in"] == "path":
                    to = to.replace("{" + parameter["name"] + "}", urllib.parse.quote(str(value), safe="{}"))
                elif value is not None and parameter["in"] == "query":
                    query.append(f"{parameter['name']}={urllib.parse.quote(str(value), safe='{},:')}")
            body = None
            if "requestBody" in operation:
                content = seen(operation["requestBody"])["content"]["application/json"]
                schema, body = seen(content["schema"]), content["example"]
                if "limit" in schema.get("properties", {}):
                    body = {**{name: body[name] for name in schema.get("required", [])}, "limit": ROWS}
            out[f"{verb.upper()} {path}"] = Read(verb.upper(), to + ("?" + "&".join(query) if query else ""), body, operation["x-rate-class"])
    return out


def rate_of(read, seconds):
    """Questions a second, so that all of a round are within the burst of the route's rate: one to look whether it is answered, those alone and those
    beside the flood. By the next round it is full again."""
    if read.rate_class == "read":
        return OTHERS_RATE
    burst = int(tomllib.loads(SETTINGS.read_text())[f"http.rate_{read.rate_class}"]["default"].split(" burst ")[1])
    return min(OTHERS_RATE, (burst - 4) / (2 * seconds))  # each of the three may ask once more


def request_of(read, token=None):
    method, path, body, _ = read
    content = json.dumps(body).encode() if body else b""
    fields = ["Host: 127.0.0.1", "X-Service-Client: shares@1", f"Content-Length: {len(content)}"]
    fields += ["Content-Type: application/json"] if body else []
    fields += [f"Authorization: Bearer {token}"] if token else []
    return "\r\n".join([f"{method} {path} HTTP/1.1", *fields, "", ""]).encode() + content


class Answers:
    """Reads the answers of one connection: (status, is whole)."""

    def __init__(self):
        self.came = b""

    def take(self, more):
        """The status of the answer that `more` completes, or None."""
        self.came += more
        head, end, rest = self.came.partition(b"\r\n\r\n")
        if not end:
            return None
        length = next(int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:"))
        if len(rest) < length:
            return None
        self.came = rest[length:]
        return int(head.split(b" ", 2)[1])


def connect(port, source):
    return socket.create_connection(("127.0.0.1", port), timeout=10, source_address=(source, 0))


class Flood(threading.Thread):
    """Sends `request` so many times a second over whichever of its connections waits for nothing."""

    def __init__(self, port, request):
        super().__init__(daemon=True)
        self.port, self.request, self.over, self.answers = port, request, threading.Event(), {}

    def run(self):
        looks, idle, due = selectors.DefaultSelector(), [], time.monotonic()
        for _ in range(CONNECTIONS):
            link = connect(self.port, FLOOD_FROM)
            looks.register(link, selectors.EVENT_READ, Answers())
            idle.append(link)
        while not self.over.is_set():
            for key, _ in looks.select(max(0.0, min(due - time.monotonic(), 0.05))):
                if status := key.data.take(key.fileobj.recv(1 << 18)):
                    self.answers[status] = self.answers.get(status, 0) + 1
                    idle.append(key.fileobj)
            while idle and time.monotonic() >= due:
                idle.pop().sendall(self.request)
                due += 1 / RATE
        for key in list(looks.get_map().values()):
            key.fileobj.close()

    def __enter__(self):
        self.start()
        time.sleep(1)  # until its questions wait
        return self

    def __exit__(self, *_):
        self.over.set()
        self.join()


class Other(threading.Thread):
    """Asks at a steady rate, and notes how long each answer took."""

    def __init__(self, port, request, seconds, rate=OTHERS_RATE):
        super().__init__(daemon=True)
        self.link, self.request, self.seconds, self.rate = connect(port, OTHERS_FROM), request, seconds, rate
        self.took, self.answers = [], {}
        self.start()

    def run(self):
        due, until, reading = time.monotonic(), time.monotonic() + self.seconds, Answers()
        while due < until:
            time.sleep(max(0.0, due - time.monotonic()))
            begun, status = time.monotonic(), None
            self.link.sendall(self.request)
            while not status:
                status = reading.take(self.link.recv(1 << 18))
            self.took.append(1000 * (time.monotonic() - begun))
            self.answers[status] = self.answers.get(status, 0) + 1
            due += 1 / self.rate
        self.link.close()

    def result(self):
        self.join()
        ordered = sorted(self.took)
        return {"p99": ordered[math.ceil(0.99 * len(ordered)) - 1], "answers": self.answers}


def others(bench, read, search, seconds):
    """What somebody else is answered, and an operator at the console; there is one operator, so beside a flood of the console somebody searches."""
    if read is CONSOLE:
        return {"others": Other(bench.ours.port, request_of(search), seconds).result()}
    same, console = Other(bench.ours.port, request_of(read), seconds, rate_of(read, seconds)), Other(bench.ours.ready["admin_port"], request_of(CONSOLE, bench.admin), seconds)
    return {"others": same.result(), "console": console.result()}


def measure(bench, failure):
    """Returns the rounds: {flood: {"alone", "beside", "answers"}} each; a flood that is none has only "answers"."""
    with urllib.request.urlopen(f"http://127.0.0.1:{bench.ours.port}/api/v2/internal/listings?limit=1", timeout=10) as answer:
        project = json.load(answer)["projects"][0]["user"]["username"]
    reads = {name: read._replace(path=read.path.format(market=bench.markets[-1], project=project)) for name, read in reads_of(reference.Builder().document).items()}
    seconds, rounds = min(bench.args.seconds, SECONDS_MOST), []
    for _ in range(bench.args.rounds):
        one = {}
        for name, read in {**reads, "console": CONSOLE}.items():
            token, port = (bench.admin, bench.ours.ready["admin_port"]) if read is CONSOLE else (None, bench.ours.port)
            if set(answers := Other(port, request_of(read, token), 0.1, rate_of(read, seconds)).result()["answers"]) != {200}:
                if name in ("console", SEARCH):
                    raise failure(f"beside: {name} is answered {answers} also where nobody else asks")
                one[name] = {"answers": answers}
                continue
            alone = others(bench, read, reads[SEARCH], seconds)
            with Flood(port, request_of(read, token)) as flood:
                beside = others(bench, read, reads[SEARCH], seconds)
            if not flood.answers.get(200):
                raise failure(f"beside: the flood of {name} is none, it is answered {flood.answers}")
            one[name] = {"alone": alone, "beside": beside, "answers": flood.answers}
        rounds.append(one)
    return rounds


def describe(rounds):
    lines = [f"beside: floods of reads from one address, {CONNECTIONS} connections and {RATE}/s; {len(rounds)} rounds; p99 of others alone and beside them"]
    for name in rounds[0]:
        if not all("alone" in each[name] for each in rounds):
            lines.append(f"  {name}: not flooded, it is answered {rounds[-1][name]['answers']}")
            continue
        told = []
        for who in rounds[0][name]["alone"]:
            alone, beside = (statistics.median(r[name][when][who]["p99"] for r in rounds) for when in ("alone", "beside"))
            refused = sum(count for r in rounds for status, count in r[name]["beside"][who]["answers"].items() if status != 200)
            good = beside <= max(P99_MOST * alone, LEAST_MS) and not refused
            told.append(f"{who} {alone:.1f} -> {beside:.1f} ms" + (f", {refused} not answered with 200" if refused else "") + f": {'met' if good else 'MISSED'}")
        lines.append(f"  {name}: {'; '.join(told)}  the flood {rounds[-1][name]['answers']}")
    return "\n".join(lines)


if __name__ == "__main__":
    for method, path, body, _ in reads_of(reference.Builder().document).values():
        print(method, path, json.dumps(body) if body else "")

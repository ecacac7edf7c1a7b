#!/usr/bin/env python3
"""Has a real Prometheus scrape a real server under some load, and looks at what the rules and the dashboard make of it.

    tests/run/metrics_checks.py EXECUTABLE

Needs the programs prometheus, promtool and prometheus-node-exporter. Prints one line for each promise that does not hold, and ends with 1 when there is one.
"""
import concurrent.futures
import contextlib
import datetime
import http.client
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from run_checks import IS_ROOT, PATIENCE_S, ROOT, Run, as_owner, broken, free_port, holds  # noqa: E402

RULES = ROOT / "ops/prometheus/alerts.yml"
CASES = ROOT / "ops/prometheus/alerts_test.yml"
DASHBOARD = ROOT / "ops/grafana/credence.json"
PAGE = ROOT / "docs/operating.md"
WINDOW = "20s"  # over which the test looks at rates
LOAD_SECONDS = 12
QUIET_SECONDS = 150
# What is measured only where there are standbys, which no server here has; Alerts.LookAtMetricsThatThereAre knows how these are spelt.
OF_STANDBYS = ("credence_standby_able", "credence_database_quorum_", "credence_database_standby_")
# Rows that are empty on a server without these.
OPTIONAL = {"Chain": "credence_chain_", "Managed wallets": "credence_wallet_"}
# A key of an identity provider (RFC 7517, A.1), so that there are metrics of it.
KEYS = {"keys": [{"kty": "EC", "crv": "P-256", "kid": "1", "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU", "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}]}


# -- what can be said without a server ------------------------------------------------------------------------------------------

def promtool(*words, given=None):
    done = subprocess.run(["promtool", *map(str, words)], input=given, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode == 0, done.stdout.strip()


def looks_at_files():
    for what in (["check", "rules", RULES], ["check", "config", ROOT / "ops/prometheus/prometheus.yml"], ["test", "rules", CASES]):
        good, said = promtool(*what)
        holds(good, f"promtool {' '.join(map(str, what))}: {said}")
    cases = re.split(r"\n(?=  - name: )", CASES.read_text())[1:]
    page = PAGE.read_text()
    alerts = re.findall(r"^ *- alert: (\w+)$", RULES.read_text(), re.M)
    holds(len(alerts) == len(set(alerts)) > 30, "rules have names of their own")
    for name in alerts:
        mine = [case for case in cases if case.startswith(f"  - name: {name}\n")]
        fires = any(f'alertname="{name}",instance="bad"' in case for case in mine)
        quiet = any('instance="good"' in case and "exp_samples: []" in case for case in mine)
        holds(fires and quiet, f"{name} has a case in which it fires and one in which it does not")
        holds(f"\n### {name}\n\n" in page, f"{name} has its section in {PAGE.name}")
        holds(re.search(rf"^\| .*`{name}`.* \|$", page, re.M), f"{name} is in the table of rules in {PAGE.name}")
    sections = re.findall(r"^### (Credence\w+)$", page, re.M)
    holds(set(sections) <= set(alerts), f"no section is about a rule that is gone: {set(sections) - set(alerts)}")


def panels_by_row(dashboard):
    """(row, panel) of every panel."""
    row = ""
    for panel in dashboard["panels"]:
        if panel["type"] == "row":
            row = panel["title"]
        for each in panel.get("panels", []) if panel["type"] == "row" else [panel]:
            yield row, each


def optional(row):
    return next((prefix for name, prefix in OPTIONAL.items() if row.startswith(name)), None)


def looks_at_dashboard(dashboard):
    panels = list(panels_by_row(dashboard))
    ids = [panel["id"] for panel in dashboard["panels"]] + [panel["id"] for row, panel in panels if optional(row)]
    holds(len(ids) == len(set(ids)), "panels have ids of their own")
    places = [(panel["gridPos"], panel["title"]) for _, panel in panels]
    for at, title in places:
        holds(0 <= at["x"] and at["x"] + at["w"] <= 24, f"'{title}' is within the page")
    for row, panel in panels:
        name = f"panel '{panel['title']}' of '{row}'"
        holds(panel["fieldConfig"]["defaults"].get("unit"), f"{name} has a unit")
        holds(panel["targets"] and all(target["legendFormat"] for target in panel["targets"]), f"{name} names its lines")
        only = optional(row)
        asked = " ".join(target["expr"] for target in panel["targets"])
        if only:
            holds(only in asked and panel["description"].startswith("Only where "), f"{name} says where it is empty")
        else:
            holds(not any(prefix in asked for prefix in OPTIONAL.values()), f"{name} needs neither a chain nor wallets")
        for target in panel["targets"]:
            selected = len(re.findall(r"\b(?:credence|process)_\w+\{instance=~\"\$instance\"", target["expr"]))
            holds(selected == len(re.findall(r"\b(?:credence|process)_\w+\{", target["expr"])) > 0, f"{name} follows the choice of instances")


# -- load -----------------------------------------------------------------------------------------------------------------------

class Client:
    def __init__(self, run):
        self.link = http.client.HTTPConnection("127.0.0.1", run.port, timeout=PATIENCE_S)

    def ask(self, method, path, token=None, body=None):
        headers = {"X-Service-Client": "metrics-checks@1"}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        if body is not None:
            headers["Content-Type"] = "application/json"
        self.link.request(method, path, None if body is None else json.dumps(body), headers)
        answer = self.link.getresponse()
        return answer.status, json.loads(answer.read() or b"null")


def spread(acts):
    """Does them one after the other, over the time of the load; the statuses of the answers."""
    pause = LOAD_SECONDS / max(1, len(acts))
    out = []
    for act in acts:
        out.append(act())
        time.sleep(pause)
    return out


def load(run, demo):
    """Votes, trades, tips and reads, and what is refused, all at once and for some seconds."""
    accounts = demo["accounts"][1:]
    voter, trader, other = Client(run), Client(run), Client(run)
    listed = other.ask("GET", "/api/v2/internal/listings?limit=100")[1]["projects"]
    live = [project["id"] for project in listed if project["status"] == "ACTIVE"]
    market = other.ask("GET", "/api/v1/markets/search?limit=1")[1]["data"][0]["marketProfileId"]
    vote = {"voteType": "BULLISH", "voteReason": "ships every week"}
    votes = [lambda p=project, a=account: voter.ask("POST", f"/api/v2/projects/{p}/votes", a["token"], vote)[0] for project in live for account in accounts]
    trade = {"action": "buy", "voteType": "trust", "votes": 1}
    money = [lambda: trader.ask("POST", f"/api/v2/markets/{market}/trades", accounts[0]["token"], trade)[0],
             lambda: trader.ask("POST", "/api/v2/xp/tip", accounts[0]["token"], {"receiverUserkey": "profileId:1", "amount": 1})[0]] * 12
    reads = [lambda: other.ask("GET", "/api/v2/users/search?query=ada&limit=3")[0],
             lambda: other.ask("GET", f"/api/v2/projects/{live[0]}/voters")[0],
             lambda: other.ask("GET", "/api/v2/internal/listings?limit=3")[0]] * 12
    refused = [lambda: other.ask("GET", "/api/v2/projects/999999/voters")[0], lambda: other.ask("GET", "/api/v2/xp/tips/sent", "no.good.token")[0]] * 3
    with concurrent.futures.ThreadPoolExecutor(3) as at_once:
        done = list(at_once.map(spread, [votes, money, reads + refused]))
    holds(done[0].count(200) == len(votes) > 20, f"votes are taken: {done[0]}")
    holds(set(done[1]) == {200}, f"so are trades and tips: {done[1]}")
    holds(set(done[2][:len(reads)]) == {200} and set(done[2][len(reads):]) == {404, 401}, f"reads are answered, or refused for a reason: {done[2]}")


# -- Prometheus -----------------------------------------------------------------------------------------------------------------

class NodeExporter:
    """One that tells of the disks of this machine and of the files in `at`."""

    def __init__(self, at, log):
        for _ in range(5):  # a port that was free may have been taken by somebody since
            self.port = free_port()
            # Also of the kinds that machines in containers have.
            self.process = subprocess.Popen(["prometheus-node-exporter", "--collector.disable-defaults", "--collector.textfile", f"--collector.textfile.directory={at}",
                                             "--collector.filesystem", "--collector.filesystem.fs-types-exclude=^(proc|sysfs|devpts|mqueue|cgroup2?)$",
                                             f"--web.listen-address=127.0.0.1:{self.port}"], stdout=log, stderr=log, stdin=subprocess.DEVNULL)
            if self.answers():
                return
            self.stop()
        raise SystemExit("the node exporter does not answer")

    def answers(self):
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end and self.process.poll() is None:
            with contextlib.suppress(OSError), urllib.request.urlopen(f"http://127.0.0.1:{self.port}/metrics", timeout=PATIENCE_S) as answer:
                return b"node_textfile_scrape_error 0" in answer.read()
            time.sleep(0.05)
        return False

    def stop(self):
        self.process.kill()
        self.process.wait()


class Prometheus:
    """One that scrapes these jobs every second, evaluates the rules and keeps its data in `home`."""

    def __init__(self, home, jobs):
        self.start(home, jobs)
        for _ in range(4):
            if self.lost_its_port():
                self.log.close()
                self.start(home, jobs)

    def start(self, home, jobs):
        self.port = free_port()
        config = {"global": {"scrape_interval": "1s", "evaluation_interval": "1s"}, "rule_files": [str(RULES)],
                  "scrape_configs": [{"job_name": job, "static_configs": [{"targets": [f"127.0.0.1:{port}"]}]} for job, port in jobs.items()]}
        (home / "prometheus.yml").write_text(json.dumps(config))  # JSON is YAML
        self.log = open(home / "prometheus.log", "w+")
        self.process = subprocess.Popen(["prometheus", f"--config.file={home}/prometheus.yml", f"--storage.tsdb.path={home}/data", "--log.level=warn",
                                         f"--web.listen-address=127.0.0.1:{self.port}"], stdout=self.log, stderr=self.log, stdin=subprocess.DEVNULL, cwd=home)

    def lost_its_port(self):
        """Whether somebody else has taken it since it was free; known once Prometheus is ready or has ended."""
        while self.process.poll() is None:
            with contextlib.suppress(OSError), urllib.request.urlopen(f"http://127.0.0.1:{self.port}/-/ready", timeout=PATIENCE_S):
                return self.process.poll() is not None
            time.sleep(0.1)
        self.log.seek(0)
        return "address already in use" in self.log.read()

    def get(self, path):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=PATIENCE_S) as answer:
            return json.load(answer)["data"]

    def until(self, what, seen):
        """Waits until that is so, as long as a patient person would."""
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end and self.process.poll() is None:
            with contextlib.suppress(OSError, ValueError, KeyError):
                if seen():
                    return
            time.sleep(0.2)
        self.log.seek(0)
        raise SystemExit(f"Prometheus: {what}, but not in time:\n{self.log.read()}")

    def numbers(self, query):
        """The values of an instant query; None when it is no good query."""
        try:
            return [float(each["value"][1]) for each in self.get("/api/v1/query?" + urllib.parse.urlencode({"query": query}))["result"]]
        except urllib.error.HTTPError as why:
            if why.code == 503:  # it is starting
                raise
            holds(False, f"'{query}' can be asked: {why.read().decode()}")
            return None

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.close()


def always(query):
    """A rule's condition, made to yield a number whether it holds or not: every part of it has to be there."""
    return re.sub(r" (==|>|<) ", r" \1 bool ", query.split(" unless ")[0]).replace(" or ", " and on () ")


def rules_see(prometheus):
    groups = prometheus.get("/api/v1/rules")["groups"]
    rules = [rule for group in groups for rule in group["rules"]]
    holds(len(rules) > 30, "the rules are loaded")
    for rule in rules:
        holds(rule["health"] == "ok", f"{rule['name']} is evaluated: {rule.get('lastError')}")
        holds(rule["annotations"]["runbook_url"].endswith("}" + rule["name"].lower()), f"{rule['name']} names its section")
        holds(rule["labels"]["severity"] in ("page", "warn"), f"{rule['name']} says whom it wakes")
        if any(each in rule["query"] for each in OF_STANDBYS):
            continue
        numbers = prometheus.numbers(always(rule["query"]))
        holds(numbers is None or numbers, f"the condition of {rule['name']} sees something of a live server: {rule['query']}")


def stays_quiet(prometheus, node):
    """Nobody does anything while two blocks come, a minute apart: nothing is to be alarmed about, nor begins to be. The machine has alerts of its own."""
    time.sleep(QUIET_SECONDS)
    for each in prometheus.get("/api/v1/alerts")["alerts"]:
        since = datetime.datetime.fromisoformat(each["activeAt"][:19] + "+00:00")
        lasts = (datetime.datetime.now(datetime.timezone.utc) - since).total_seconds()
        of_machine = each["labels"].get("instance", "").endswith(f":{node.port}")
        holds(of_machine or (each["state"] != "firing" and lasts < QUIET_SECONDS / 2),
              f"a quiet demo with a chain fires no alert; {each['labels']['alertname']} is {each['state']} for {lasts:.0f} s")


def dashboard_sees(prometheus, dashboard):
    for row, panel in panels_by_row(dashboard):
        for target in panel["targets"]:
            query = target["expr"].replace("$__rate_interval", WINDOW).replace("$instance", ".+")
            numbers = prometheus.numbers(query)
            if numbers is None:
                continue
            # Without a chain's actions there is no quantile of how long they take.
            there = numbers if optional(row) else [number for number in numbers if not math.isnan(number)]
            holds(there, f"'{target['legendFormat']}' of panel '{panel['title']}' of '{row}' has data under load: {query}")


def metrics_are_clean(operator_port):
    with urllib.request.urlopen(f"http://127.0.0.1:{operator_port}/metrics", timeout=PATIENCE_S) as answer:
        text = answer.read().decode()
    good, said = promtool("check", "metrics", given=text)
    holds(good and not said, f"promtool check metrics: {said}")


def tell_of_a_backup(to):
    """What the unit of backups leaves in the end, by the command that it has."""
    unit = (ROOT / "ops/backup/credence-backup@.service").read_text()
    command = re.search(r"^ExecStartPost=\+-/bin/sh -c '(.*)'$", unit, re.M)[1].replace("/var/lib/prometheus/node-exporter", str(to)).replace("$$", "$").replace("%%", "%")
    subprocess.run(["sh", "-c", command], check=True)
    holds([each.name for each in to.iterdir()] == ["credence-backup.prom"], "the unit of backups leaves one file")


def verified(executable, home, scratch):
    """What `credence verify` measures of the server's database, in a file."""
    url = f"host={home}/run user=credence_owner dbname=credence"
    to = scratch / "textfiles/verify.prom"
    done = subprocess.run(as_owner([str(home / "bin/credence" if IS_ROOT else executable), "verify", "--quiet", "--metrics", str(to), "--data-dir", str(scratch)]),
                          env={**os.environ, "CREDENCE_STORE_DATABASE_URL": url}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd="/")
    holds(done.returncode == 0, f"the demo verifies: {done.stdout}")


def watch(executable, home, scratch):
    (scratch / "keys.json").write_text(json.dumps(KEYS))
    # Nobody is asked for keys or news: their metrics are there where they are set up.
    run = Run(executable, home, "--chain", serve=["--auth-provider-issuer", "https://id.example", "--auth-provider-audience", "app", "--auth-provider-jwks",
                                                  scratch / "keys.json", "--auth-provider-userkey", "address:{wallet_address}", "--news-base-url",
                                                  "http://127.0.0.1:1", "--news-token", "none"])
    if run.code is not None:
        raise SystemExit("ops/run --chain did not serve:\n" + run.said())
    dashboard = json.loads(DASHBOARD.read_text())
    demo = json.loads((home / "state" / "demo.json").read_text())
    with contextlib.ExitStack() as after:
        after.callback(run.stop)
        metrics_are_clean(run.operator_port)
        files = scratch / "textfiles"
        files.mkdir()
        files.chmod(0o777)
        tell_of_a_backup(files)
        verified(executable, home, scratch)
        node = NodeExporter(files, after.enter_context(open(scratch / "node.log", "w")))
        after.callback(node.stop)
        prometheus = Prometheus(scratch, {"credence": run.operator_port, "node": node.port})
        after.callback(prometheus.stop)
        prometheus.until("it scrapes the server", lambda: prometheus.numbers("sum(up) == 2"))
        stays_quiet(prometheus, node)
        load(run, demo)
        dashboard_sees(prometheus, dashboard)
        rules_see(prometheus)
        holds(prometheus.numbers("credence_rings_run_seconds") == [0.0], "where no run has looked for rings there is no moment of one")
    looks_at_dashboard(dashboard)


def main():
    executable = pathlib.Path(sys.argv[1]).resolve()
    looks_at_files()
    home, scratch = (pathlib.Path(tempfile.mkdtemp(prefix="credence-metrics-")) for _ in range(2))
    home.chmod(0o755)
    scratch.chmod(0o777)
    try:
        watch(executable, home, scratch)
    finally:
        for each in (home, scratch):
            shutil.rmtree(each, ignore_errors=True)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())

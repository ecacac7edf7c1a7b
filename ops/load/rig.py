"""What ops/bench measures with: a database with data, the service and the servers beside it, and one run of the generator."""
import http.client
import json
import os
import pathlib
import shutil
import subprocess
import time

from processes import ROOT, Failure, Server, as_service, cpu_of, cpu_of_family, helpers, memory_of, say
from results import VOTING, summarise

BUILT = ROOT / "build" / "release"
PLAIN_THREADS = 4  # each waits for its own commit
TRADING = ("trades", "spread")
SPREAD_PROJECTS, SPREAD_PROFILES = 100, 10_000
VOTE_ANSWER_BYTES = 200
SCORE_ANSWER_BYTES = 32
TIP_ANSWER_BYTES = 64
TRADE_ANSWER_BYTES = 520
MARKETS = 100  # and one for trades on one; deep enough for any number of purchases
DEEP = {"CREDENCE_MARKET_INSULATED_LIQUIDITY": "100000000"}
OPEN_SHARE = 0.7
# Every request is counted, none is refused: what that costs is part of the measurement.
NO_QUOTAS = [word for bucket in ("read", "write", "admin", "anonymous", "address")
             for word in (f"--http-rate-{bucket}", "1000000/s burst 1000000")]
# All load comes from one address.
NO_QUOTAS += ["--http-connections-per-address-max", "12000", "--http-unsent-bytes-max", str(1 << 30)]


class Bench:
    def __init__(self, args, name="credence", built=BUILT):
        self.args, self.name, self.built = args, name, built
        self.home = None
        self.servers = []
        self.ceilings = {}
        self.postgres = None
        self.pairs = dict.fromkeys(VOTING, 0)
        self.fresh_period = False
        self.markets_open = False
        self.generator_cores = None
        self.runs = []

    # -- set up and take down ---------------------------------------------------------------

    def prepare(self):
        helpers("install_packages build unit test", stderr=None)
        if {"chain", "wallets", "masses"} & set(self.args.only or ()):
            helpers("node_libraries ops/chain", stderr=None)
        if not self.args.no_build:
            say("building")
            log = ROOT / "build" / "bench.log"
            log.parent.mkdir(exist_ok=True)
            try:
                helpers('build release credence credence_demo credence_load credence_ceiling > "$1" 2>&1', log)
            except Failure:
                say("".join(log.read_text(errors="replace").splitlines(True)[-30:]))
                raise Failure(f"the build failed; see {log}") from None
        self.make_home()
        helpers('pg_prepare "$1"; pg_start "$1"', self.home, stderr=None)
        self.postgres = int((self.home / "postgres" / "postmaster.pid").read_text().splitlines()[0])
        self.env = {"CREDENCE_STORE_DATABASE_URL": helpers('pg_url "$1"', self.home), "CREDENCE_DATA_DIR": str(self.home), **DEEP}
        self.owner_env = {**self.env, "CREDENCE_STORE_DATABASE_URL": helpers('pg_owner_url "$1"', self.home)}
        say("loading data")
        projects = SPREAD_PROJECTS + SPREAD_PROJECTS // 10 + 5  # some are archived
        self.credence("migrate", "up")
        demo = self.built / "credence_demo"  # a checkout to compare with may have a command instead
        say(self.command(*([demo] if demo.exists() else [self.program, "demo"]), "--profiles", self.args.profiles, "--projects", projects, "--votes", self.args.votes, "--markets", 0,
                     "--tokens", self.home / "all.tsv", "--keys", self.home / "keys.tsv").splitlines()[0])
        self.choose_who_votes()
        helpers('pg_sql "$1" postgres postgres <<<CHECKPOINT', self.home)
        os.sync()  # what was loaded is not written while commits wait for the same disk
        self.start_service()

    def make_home(self):
        home = pathlib.Path(self.args.data_dir or ROOT / "var" / "bench").absolute()
        home = home if self.name == "credence" else home.with_name(f"{home.name}-{self.name}")
        home.mkdir(parents=True, exist_ok=True)
        binary = self.built / "credence"
        helpers("make_service_user")
        if os.geteuid() == 0 and subprocess.run(as_service(["test", "-x", str(home)])).returncode:
            home = pathlib.Path("/var/lib/credence-bench" if self.name == "credence" else f"/var/lib/credence-bench-{self.name}")  # the checkout is out of that user's reach
            home.mkdir(parents=True, exist_ok=True)
        if (home / "postgres").exists():
            helpers('pg_stop "$1"', home)
        if os.geteuid() == 0:
            shutil.chown(home, "root", "root")
        for old in ("postgres", "run", "token.key", "demo.json", "all.tsv", "keys.tsv", "spread.tsv", "spread-keys.tsv", "hot.tsv", "admin"):
            path = home / old
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
        self.program = home / "credence"
        shutil.copy(binary, self.program)
        self.home = home

    def credence(self, *words):
        return self.command(self.program, *words)

    def command(self, program, *words):
        """A command on the whole database, as who owns its tables; the files it writes are for the service."""
        done = subprocess.run([str(program), *map(str, words)], env={**os.environ, **self.owner_env}, cwd="/",
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if done.returncode:
            raise Failure(f"{pathlib.Path(program).name} {words[0]}: {done.stderr.strip()}")
        if os.geteuid() == 0:
            for path in (self.home, *self.home.glob("*.key"), *self.home.glob("*.json")):
                shutil.chown(path, "credence", "credence")
        return done.stdout

    def texts(self, sql):
        return helpers('pg_sql "$1" credence_owner credence <<<"$2"', self.home, sql).splitlines()

    def query(self, sql):
        return [int(line) for line in self.texts(sql)]

    def choose_who_votes(self):
        active = self.query("SELECT id FROM projects WHERE status = 'ACTIVE' ORDER BY id")
        live = set(self.query("SELECT id FROM profiles WHERE NOT archived"))
        if len(active) <= SPREAD_PROJECTS or len(live) < SPREAD_PROFILES:
            raise Failure(f"the data has only {len(active)} active projects and {len(live)} live profiles")
        self.spread, self.hot = active[:SPREAD_PROJECTS], active[SPREAD_PROJECTS]
        lines = [line for line in (self.home / "all.tsv").read_text().splitlines(True) if int(line.split("\t")[0]) in live]
        self.write("spread.tsv", "".join(lines[:SPREAD_PROFILES]))
        self.write("hot.tsv", "".join(lines))
        spread = {line.split("\t")[0] for line in lines[:SPREAD_PROFILES]}
        self.write("spread-keys.tsv", "".join(line for line in (self.home / "keys.tsv").read_text().splitlines(True)
                                              if line.split("\t")[0] in spread))
        # Enough for any number of tips.
        self.query("INSERT INTO xp_movements (from_account, to_account, amount, kind, at)"
                   " SELECT 0, id, 1000000, 'CLAIM', now() FROM profiles")
        self.query("INSERT INTO wei_transfers (seq, at, profile_id, kind, amount)"
                   " SELECT 1000000000000 + id, now(), id, 'DEPOSIT', 1e27 FROM profiles")
        self.markets = [int(line.split("\t")[0]) for line in lines[:MARKETS + 1]]
        self.admin = json.loads((self.home / "demo.json").read_text())["adminToken"]
        self.write("admin", self.admin + "\n")

    def write(self, name, text):
        with open(os.open(self.home / name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as out:
            out.write(text)

    def start_service(self):
        known = subprocess.run([str(self.program), "serve", "--help"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
        console = ["--admin-port", "0"] if "--admin-port" in known else []  # older builds have none
        self.ours = Server(self.name, as_service([str(self.program), "serve", "--port", "0", "--operator-port", "0", *console, "--admin", "1",
                                                  "--actors-period-advance", "manual", *NO_QUOTAS, *self.args.serve]),
                           self.home / "credence.log", self.env)
        self.servers.append(self.ours)
        until = time.monotonic() + 60
        while self.ask("GET", "/readyz")[0] != 200:
            if time.monotonic() > until:
                raise Failure("the service does not become ready")
            time.sleep(0.05)

    def restart_service(self):
        self.ours.stop()
        self.servers.remove(self.ours)
        self.start_service()

    def ceiling(self, body_bytes):
        if body_bytes not in self.ceilings:
            threads = min(os.cpu_count() or 1, 4)  # as many as the service has
            server = Server("ceiling", [str(BUILT / "credence_ceiling"), "--port", "0", "--threads", str(threads),
                                        "--body-bytes", str(body_bytes)], self.home / "ceiling.log")
            self.servers.append(server)
            self.ceilings[body_bytes] = server
        return self.ceilings[body_bytes]

    def plain_server(self):
        """A server that inserts one row for each request, in a transaction of its own."""
        self.texts("CREATE TABLE plain_votes (id bigserial PRIMARY KEY, project_id int4 NOT NULL, voter_id int4 NOT NULL, bullish bool NOT NULL,"
                   " cast_at timestamptz NOT NULL DEFAULT now(), UNIQUE (project_id, voter_id))")
        server = Server("plain", [str(BUILT / "credence_ceiling"), "--port", "0", "--threads", str(PLAIN_THREADS)], self.home / "plain.log",
                        {"CEILING_DATABASE_URL": self.owner_env["CREDENCE_STORE_DATABASE_URL"]})
        self.servers.append(server)
        return server

    def stop(self):
        for server in reversed(self.servers):
            server.stop()
        if self.home and self.postgres:
            helpers('pg_stop "$1"', self.home)

    # -- asking -----------------------------------------------------------------------------

    def ask(self, method, path, token=None, body=None):
        for attempt in (1, 2):
            try:
                link = http.client.HTTPConnection("127.0.0.1", self.ours.port, timeout=60)
                link.request(method, path, json.dumps(body) if body else None,
                             {**({"Authorization": f"Bearer {token}"} if token else {}), **({"Content-Type": "application/json"} if body else {})})
                answer = link.getresponse()
                return answer.status, answer.read()
            except OSError:
                if attempt == 2:
                    raise
                time.sleep(0.5)
            finally:
                link.close()

    def get(self, path):
        status, body = self.ask("GET", path)
        if status != 200:
            raise Failure(f"GET {path}: {status} {body[:300].decode(errors='replace')}")
        return body

    def votes_counted(self):
        total = 0
        for project in [*self.spread, self.hot]:
            totals = json.loads(self.get(f"/api/v2/projects/{project}/voters?scope=global&limit=1"))["totals"]
            total += totals["totalBullishVotes"] + totals["totalBearishVotes"]
        return total

    def open_period(self):
        """The demo data has votes in the open period; pairs are unique from a fresh one on."""
        if self.fresh_period:
            return
        status, body = self.ask("POST", "/api/v2/projects/votes/reallocate", self.admin)
        if status != 200:
            raise Failure(f"reallocate: {status} {body[:300].decode(errors='replace')}")
        self.fresh_period = True

    def new_period(self):
        self.fresh_period = False
        self.pairs = dict.fromkeys(self.pairs, 0)
        self.open_period()

    def markets_of(self, scenario):
        return self.markets[-1] if scenario == "trades" else ",".join(map(str, self.markets[:MARKETS]))

    def open_markets(self):
        if not self.markets_open:
            tokens = dict(line.rstrip("\n").split("\t") for line in open(self.home / "spread.tsv"))
            for owner in self.markets:
                status, body = self.ask("POST", "/api/v2/markets", tokens[str(owner)], {"configType": "INSULATED"})
                if status != 200:
                    raise Failure(f"a market: {status} {body[:300].decode(errors='replace')}")
            self.markets_open = True
        self.load(self.ours, ["--connections", 64, "--requests", SPREAD_PROFILES, "--seconds", 600, *self.words("spread", self.ours)])

    # -- one run ----------------------------------------------------------------------------

    def words(self, scenario, server):
        spread = ",".join(map(str, self.spread))
        if scenario in VOTING:
            ours = ["--advance-file", self.home / "admin", "--start-pair", self.pairs[scenario]]
            who = {"votes": ("--tokens", "spread.tsv"), "hot": ("--tokens", "hot.tsv"), "keys": ("--keys", "spread-keys.tsv")}[scenario]
            return ["votes", "--projects", self.hot if scenario == "hot" else spread, who[0], self.home / who[1],
                    *(ours if server is self.ours else ["--wrap"])]
        if scenario == "tips":
            return ["tips", "--tokens", self.home / "spread.tsv"]
        if scenario in TRADING:
            return ["trades", "--tokens", self.home / "spread.tsv", "--projects", self.markets_of(scenario)]
        if scenario == "market":
            return ["market", "--projects", self.markets_of(scenario)]
        if scenario == "balance":
            return ["balance", "--tokens", self.home / "spread.tsv"]
        if scenario == "voters":
            return ["voters", "--project", self.spread[0], "--limit", 50]
        if scenario == "score":
            return ["score", "--profiles", SPREAD_PROFILES]
        return ["listings", "--limit", 50]

    def load(self, server, words):
        command = ["taskset", "-c", ",".join(map(str, self.generator_cores))] if self.generator_cores else []
        command += [BUILT / "credence_load", "--port", server.port, "--threads", self.args.threads, *words]
        done = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, text=True)
        if done.returncode:
            raise Failure("the load generator failed")
        return json.loads(done.stdout)

    def timed_load(self, server, words):
        """Runs the generator; its result with what the processes took for each answer, in microseconds."""
        cpu, database = cpu_of(server.pid), cpu_of_family(self.postgres)
        out = self.load(server, words)
        answered = max(1, out["requests_total"])
        out["cpu_us"] = {"server": (cpu_of(server.pid) - cpu) * 1e6 / answered,
                         "postgres": (cpu_of_family(self.postgres) - database) * 1e6 / answered,
                         "generator": out["cpu_seconds"] * 1e6 / max(1, out["requests"])}
        out["rss_mib"], out["rss_most_mib"] = memory_of(server.pid)
        out["wrong_status"] = sum(n for status, n in out["by_status"].items() if status != "200")
        return out

    def run(self, scenario, server, connections, rate=None, phases=None, patience_ms=0, more=()):
        """One closed loop, or an open one at `rate`, or one of `phases`: pairs of a rate and its seconds."""
        votes = scenario in VOTING and server is self.ours
        before = self.votes_counted() if votes else 0
        length = ["--connections", connections, "--warmup", self.args.warmup]
        if phases:
            length += ["--rates", ",".join(f"{r:.1f}:{s:g}" for r, s in phases), "--patience-ms", patience_ms]
        else:
            length += ["--seconds", self.args.seconds]
        out = self.timed_load(server, [*length, *(["--rate", f"{rate:.1f}"] if rate else []), *more, *self.words(scenario, server)])
        out.update(scenario=scenario, server=server.name, connections=connections, rate=rate)
        if votes:
            self.pairs[scenario] = out["next_pair"]
            if out["advances"]:
                self.pairs["votes" if scenario == "hot" else "hot"] = 0
            grown, sure, maybe = self.votes_counted() - before, out["acknowledged_votes"], out["unknown_votes"]
            out["totals_grew_by"] = grown
            out["totals_right"] = sure <= grown <= sure + maybe
            if not out["totals_right"]:
                say(f"WRONG TOTALS: {sure} votes were acknowledged, {maybe} unknown, the totals grew by {grown}")
        load = f"{phases[0][0]:.0f}/s" if phases else f"{rate:.0f}/s" if rate else "closed"
        say(f"  {scenario:<9}{server.name:<9}{connections:>4} conn {load:>9}"
            f"{out['rps']:>10.0f} rps  p50 {out['latency_ms']['p50']:.2f}  p99 {out['latency_ms']['p99']:.2f} ms"
            + (f"  {out['wrong_status']} not 200 {out['by_status']}" if out["wrong_status"] else "")
            + (f"  {out['errors']} errors" if out["errors"] else ""))
        self.runs.append(out)
        return out

    def ready_for(self, scenario):
        """Has what `scenario` needs; returns how many bytes an answer has."""
        body_bytes = VOTE_ANSWER_BYTES
        if scenario in VOTING:
            if scenario == "keys" or self.pairs["keys"]:  # other pairs, or the same in another order
                self.fresh_period = False
                self.pairs = dict.fromkeys(self.pairs, 0)
            self.open_period()
            self.warm("hot.tsv" if scenario == "hot" else "spread.tsv")
        if scenario == "tips":
            self.warm("spread.tsv")
            body_bytes = TIP_ANSWER_BYTES
        if scenario in TRADING + ("market",):
            self.open_markets()
            body_bytes = len(self.get(f"/api/v1/markets/{self.markets[0]}")) if scenario == "market" else TRADE_ANSWER_BYTES
        if scenario == "voters":
            self.fill_page()
            body_bytes = len(self.get(f"/api/v2/projects/{self.spread[0]}/voters?limit=50"))
        if scenario == "listings":
            body_bytes = len(self.get("/api/v2/internal/listings?limit=50"))
        if scenario == "score":
            body_bytes = SCORE_ANSWER_BYTES
        return body_bytes

    def measure(self, scenario):
        ceiling = self.ceiling(self.ready_for(scenario))
        rows = []
        for connections in self.args.connections:
            rows.append(self.in_turn(scenario, ceiling, connections, None))
        if not self.args.no_open:
            best = max(rows, key=lambda row: row["rps"])
            rows.append(self.in_turn(scenario, ceiling, best["connections"], OPEN_SHARE * best["rps"]))
        return rows

    def warm(self, tokens):
        """Every voter is asked for once: what is measured is voting, not the first load of a profile."""
        voters = sum(1 for _ in open(self.home / tokens))
        self.load(self.ours, ["--connections", 64, "--requests", voters, "--seconds", 600, "balance", "--tokens", self.home / tokens])

    def in_turn(self, scenario, ceiling, connections, rate):
        theirs, ours = [], []
        for _ in range(self.args.rounds):
            theirs.append(self.run(scenario, ceiling, connections, rate))
            ours.append(self.run(scenario, self.ours, connections, rate))
        return summarise(scenario, connections, rate, theirs, ours)

    def fill_page(self):
        path = f"/api/v2/projects/{self.spread[0]}/voters?limit=50"
        if len(json.loads(self.get(path))["values"]) < 50:
            self.open_period()
            done = self.load(self.ours, ["--requests", 100 * SPREAD_PROJECTS, *self.words("votes", self.ours)])
            self.pairs["votes"] = done["next_pair"]
            if done["advances"]:
                self.pairs["hot"] = 0

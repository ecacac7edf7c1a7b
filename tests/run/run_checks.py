#!/usr/bin/env python3
"""Starts the service with ops/run as a newcomer does, and looks at what that lets anybody do.

    tests/run/run_checks.py EXECUTABLE

Prints one line for each promise that does not hold, and ends with 1 when there is one.
"""
import http.client
import json
import os
import pathlib
import re
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
IS_ROOT = os.geteuid() == 0
PATIENCE_S = 120  # a busy machine takes its time
# The server has it, too: an answer that it gives up on says nothing of what is promised.
PATIENT = {**os.environ, "CREDENCE_HTTP_ANSWER_TIMEOUT": "20000", "CREDENCE_STORE_STATEMENT_TIMEOUT": "20000", "CREDENCE_STORE_LOAD_TIMEOUT": "20000",
           "CREDENCE_STORE_CONNECT_TIMEOUT": "10000"}
SMALL = ["--profiles", 60, "--projects", 6, "--votes", 600]
broken = []


def holds(what, promise):
    if not what:
        broken.append(promise)
        print(f"does not hold: {promise}", file=sys.stderr)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Run:
    """One `ops/run`, from its start until it serves or ends. `once_ready` is called with it as soon as /readyz says so."""

    def __init__(self, executable, home, *words, demo=SMALL, serve=(), once_ready=None):
        words = [*demo, *words]
        self.start(executable, home, words, serve, once_ready)
        for _ in range(4):  # a port that was free has been taken by somebody since
            if self.code == 5:
                self.log.close()
                self.start(executable, home, words, serve, once_ready)

    def start(self, executable, home, words, serve, once_ready):
        self.port, self.operator_port, self.admin_port = free_port(), free_port(), free_port()
        self.log = tempfile.TemporaryFile("w+")
        command = [ROOT / "ops/run", "--executable", executable, "--data-dir", home, "--port", self.port, "--operator-port", self.operator_port,
                   "--admin-port", self.admin_port, *words, *(["--", *serve] if serve else [])]
        self.process = subprocess.Popen([str(word) for word in command], stdout=self.log, stderr=self.log, stdin=subprocess.DEVNULL,
                                        start_new_session=True, env=PATIENT,
                                        # Whoever runs the tests in the background has Ctrl-C ignored, and children inherit that.
                                        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        until = time.monotonic() + 600
        while "Stop      Ctrl-C" not in self.said() and self.process.poll() is None:
            if time.monotonic() > until:
                self.stop()
                raise SystemExit("ops/run neither served nor ended:\n" + self.said())
            if once_ready and self.is_ready():
                once_ready(self)
                once_ready = None
            time.sleep(0.02 if once_ready else 0.1)
        self.code = self.process.poll()

    def said(self):
        self.log.seek(0)
        return self.log.read()

    def ask(self, method, path, token=None):
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        link.request(method, path, headers={"Authorization": f"Bearer {token}"} if token else {})
        return link.getresponse().status

    def is_ready(self):
        try:
            return self.ask("GET", "/readyz") == 200
        except OSError:
            return False

    def read(self, path, token=None):
        with urllib.request.urlopen(urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", headers={"Authorization": f"Bearer {token}"} if token else {}),
                                    timeout=PATIENCE_S) as answer:
            return json.load(answer)

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        try:
            return self.process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            return -1


def processes():
    """(uid, groups, command line) of every process."""
    for entry in pathlib.Path("/proc").iterdir():
        try:
            status = (entry / "status").read_text()
            command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except (OSError, NotADirectoryError):
            continue
        uid = int(re.search(r"^Uid:\s+(\d+)", status, re.M)[1])
        yield uid, set(re.search(r"^Groups:(.*)$", status, re.M)[1].split()), command


def as_owner(command):
    return ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--", *command] if IS_ROOT else command


def sql(home, role, text):
    return subprocess.run(as_owner(["psql", "-h", str(home / "run"), "-U", role, "-d", "credence", "-Atqc", text]),
                          stdout=subprocess.PIPE, text=True, cwd="/").stdout.split()


def looks_at_screen(run, demo):
    """What is seen in the end: short, URLs first, and what is to be pasted works."""
    screen = run.said()[run.said().index("Serving   "):]
    lines = screen.splitlines()
    rows = sum(max(1, -(-len(line) // 80)) for line in lines)
    holds(rows <= 23, f"the screen fits 24 lines of 80 columns, an empty one before it; it has {rows}:\n{screen}")
    holds(lines[0].startswith(f"Serving   http://127.0.0.1:{run.port} ") and lines[1].startswith("Operator  http"), "URLs come first")
    holds(not any(account["token"] in run.said() for account in demo["accounts"]), "no token stands in it")
    pasted = screen[screen.index("  TOKEN="):screen.index("Ten accounts")]
    holds(len(re.findall("^  curl ", pasted, re.M)) == 3, "three commands come behind the line that sets TOKEN")
    answers = subprocess.run(["bash", "-c", pasted.replace("\n  curl", "\necho\n  curl")], stdout=subprocess.PIPE, text=True, cwd="/").stdout.strip().splitlines()
    listings, vote, balance = map(json.loads, answers)
    holds(len(listings["projects"]) == 3, "the first lists projects")
    holds(vote.get("success") is True, f"the second casts a vote: {vote}")
    holds(balance["userVote"] is not None, f"the third tells of it: {balance}")
    holds(demo["vote"]["profileId"] in [account["profileId"] for account in demo["accounts"]], "demo.json names the voter")
    for example in demo["examples"]:
        holds(re.match(r"curl -s '?http://127\.0\.0\.1:", example), f"examples are commands: {example}")
    read = subprocess.run(["bash", "-c", demo["examples"][0]], stdout=subprocess.PIPE, text=True).stdout
    holds(isinstance(json.loads(read), dict), "of which the first asks for people")


def with_demo(executable, home):
    run = Run(executable, home, demo=())  # as it comes: examples of the reference name what is in it
    if run.code is not None:
        raise SystemExit("ops/run did not serve:\n" + run.said())
    said = run.said()
    holds("Admins    profile 1" in said, "the demo's profile 1 is admin where only this machine can call")
    demo = json.loads((home / "state" / "demo.json").read_text())
    mint = [str(executable) if not IS_ROOT else str(home / "bin/credence"), "token", "1", "--data-dir", str(home / "state")]
    token = subprocess.run(mint, stdout=subprocess.PIPE, text=True, cwd="/").stdout.strip()
    holds(run.ask("POST", "/api/v2/projects/votes/reallocate", token) == 200, "and may act as one")
    holds(len(demo["accounts"]) == 10, "accounts are told")
    looks_at_screen(run, demo)
    sent = subprocess.run([sys.executable, ROOT / "tests/reference/examples.py", f"http://127.0.0.1:{run.port}", home / "state/demo.json", token],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    holds(sent.returncode == 0, f"every example of the reference succeeds:\n{sent.stdout}")
    serving = [one for one in processes() if "serve --port " + str(run.port) in one[2] and "ops/run" not in one[2]]
    holds(serving, "the server runs")
    for uid, groups, command in serving:
        holds("password" not in command, "no password among its arguments")
        holds("dbname" not in command, "nor its database")
        if IS_ROOT:
            holds(uid != 0 and len(groups) == 0, "as root, the server is a user of its own in no other group")
    if IS_ROOT:
        for path in (home, home / "bin", home / "bin/credence", home / ".lock"):
            holds(path.stat().st_uid == 0 and not path.stat().st_mode & 0o022, f"what root executes and writes is root's alone: {path.name}")
    holds(sql(home, "postgres", "SELECT count(*) FROM pg_roles WHERE rolname LIKE 'credence%' AND (rolsuper OR rolcreaterole OR rolcreatedb)") == ["0"],
          "neither of the two roles is a superuser")
    holds(sql(home, "postgres", "SELECT DISTINCT auth_method FROM pg_hba_file_rules") == ["peer"], "nobody is let in on trust")
    holds(sql(home, "postgres", "SELECT count(*) FROM pg_class c JOIN pg_roles r ON r.oid = c.relowner WHERE r.rolname = 'credence'") == ["0"],
          "the server owns no table")
    holds(sql(home, "postgres", "SELECT has_table_privilege('credence', 'votes', 'TRUNCATE') OR has_schema_privilege('credence', 'public', 'CREATE')") == ["f"],
          "and can empty none and make none")
    second_start(executable, home, run)
    holds(run.stop() == 130, "Ctrl-C ends it with 130")
    left = [one[2] for one in processes() if str(home) in one[2]]
    holds(not left, f"and nothing goes on: {left}")
    return token


def second_start(executable, home, run):
    """While the first one serves."""
    second = Run(executable, home)
    holds(second.code == 1 and f"{home} is in use" in second.said(), f"a second start on the same directory is refused: {second.said()}")
    with tempfile.TemporaryDirectory(prefix="credence-run-") as other:
        os.chmod(other, 0o755)
        asked = [str(ROOT / "ops/run"), "--executable", str(executable), "--data-dir", other, "--port", str(run.port)]
        done = subprocess.run(asked, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=PATIENCE_S)
        holds(done.returncode == 5 and f"port {run.port} is taken" in done.stdout, f"and one with the same port, too: {done.stdout}")
    holds(run.ask("GET", "/readyz") == 200, "while the first one goes on")


def without_demo(executable, home, token):
    run = Run(executable, home, "--no-demo")
    holds("Admins    nobody" in run.said(), "with --no-demo nobody is admin")
    holds("--admin" in run.said(), "and it says how to name one")
    holds(run.ask("POST", "/api/v2/projects/votes/reallocate", token) == 403, "so the demo's profile 1 may not act as one")
    run.stop()


def rpc(node, method, *params):
    question = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    request = urllib.request.Request(node, json.dumps(question).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
        return json.load(answer)["result"]


def node_of(run):
    """The node that the server of a run follows."""
    return next(re.search(r"--chain-endpoints (\S+)", command)[1] for _, _, command in processes()
                if f"serve --port {run.port}" in command and "ops/run" not in command)


def followed(run, node):
    """The status of the chain once all blocks that the node has by now are in, or after a long time."""
    newest = int(rpc(node, "eth_blockNumber"), 16)
    until = time.monotonic() + PATIENCE_S
    while ((status := run.read("/api/v2/chain/status"))["tip"] or {"number": -1})["number"] < newest and time.monotonic() < until:
        time.sleep(0.1)
    return status


def contracts_are_there(run):
    told = subprocess.run(["node", str(ROOT / "ops/chain/contracts.mjs")], stdout=subprocess.PIPE, text=True, check=True).stdout
    bare = [each for each in told.strip().split(",") if rpc(node_of(run), "eth_getCode", each.split("=")[1], "latest") == "0x"]
    holds(not bare, f"whoever acts as soon as the server is ready finds every contract on the chain; not {bare}")


def with_chain(executable, home):
    run = Run(executable, home, "--chain", once_ready=contracts_are_there)
    if run.code is not None:
        raise SystemExit("ops/run --chain did not serve:\n" + run.said())
    demo = json.loads((home / "state" / "demo.json").read_text())
    example, node = demo["chain"]["exampleTxHash"], demo["chain"]["endpoint"]
    holds(f"events/process?txHash={example}" in run.said(), "a transaction to ask for is told")
    asked = run.read(f"/api/v1/events/process?txHash={example}", demo["accounts"][1]["token"])["data"]
    holds(asked["success"] and asked["event"]["contract"] == "review", "and its event is known")
    holds(demo["accounts"][0]["address"] in asked["event"]["logData"], "and of somebody of the demo")
    funding = sql(home, "credence_owner", "SELECT '0x' || encode(address, 'hex') FROM managed_wallets WHERE id = 0")
    holds(len(funding) == 1 and int(rpc(node, "eth_getBalance", funding[0], "latest"), 16) > 0, "the account that pays for the gas of managed wallets has ether")
    status = followed(run, node)
    holds(status["state"] == "following" and status["lagBlocks"] == 0 and status["failedEvents"] == 0, "the whole chain is followed, and every event is read")
    known = set(re.findall(r" ([0-9a-f]{64})$", (ROOT / "tests/actors/chain/known_events.golden").read_text(), re.M))
    stored = set(sql(home, "credence_owner", "SELECT DISTINCT encode(substr(topics, 1, 32), 'hex') FROM chain_events"))
    holds(known and known == stored, f"every event that the server reads is on it, and no other; {known ^ stored}")
    holds(run.stop() == 130, "Ctrl-C ends it with 130, with a chain as without")
    left = [one[2] for one in processes() if str(home) in one[2]]
    holds(not left, f"and nothing goes on: {left}")
    with socket.socket() as probe:
        holds(probe.connect_ex(("127.0.0.1", int(node.rsplit(":", 1)[1]))) != 0, "nor does the node listen")
    run = Run(executable, home, "--chain", "--database-url", "host=/nowhere")
    holds(run.code == 2 and "--chain is for the private PostgreSQL" in run.said(), "a chain beside a database that lies elsewhere is refused")
    run.stop()


class OnAPartnersPage:
    """Somebody of the chain, whose managed wallet acts there for them. `run` is one that serves."""

    ORIGIN = "https://partner.example"
    SERVE = ["--wallets-partner-origins", ORIGIN, "--http-rate-wallet", "1000/s burst 1000"]

    def __init__(self, executable, home, run, profile):
        self.cookies, self.acknowledged = {}, []
        mint = [str(executable) if not IS_ROOT else str(home / "bin/credence"), "token", str(profile), "--data-dir", str(home / "state")]
        bearer = {"Authorization": "Bearer " + subprocess.run(mint, stdout=subprocess.PIPE, text=True, cwd="/").stdout.strip()}
        self.ask(run, "POST", "/api/v2/wallets/managed/partners", {"origin": self.ORIGIN}, Origin=f"http://127.0.0.1:{run.port}", **bearer)
        self.ask(run, "POST", "/api/v2/auth/exchange", **bearer)
        wallet = self.ask(run, "GET", "/api/v2/wallets/funds-check")[1]["address"]
        node = node_of(run)
        rpc(node, "anvil_setBalance", wallet, hex(10 ** 18))
        subprocess.run(["node", str(ROOT / "ops/chain/install.mjs"), node, "claim", str(profile), wallet], stdout=subprocess.DEVNULL, check=True)
        followed(run, node)

    def ask(self, run, method, path, body=None, **more):
        """(status, body); cookies that come are kept."""
        link = http.client.HTTPConnection("127.0.0.1", run.port, timeout=PATIENCE_S)
        cookies = {"Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())} if self.cookies else {}
        link.request(method, path, body and json.dumps(body),
                     {"Origin": self.ORIGIN, "X-Service-Client": "run-checks", **({"Content-Type": "application/json"} if body else {}), **cookies, **more})
        answer = link.getresponse()
        self.cookies.update(each.split(";")[0].split("=", 1) for each in answer.headers.get_all("Set-Cookie") or ())
        return answer.status, json.loads(answer.read())

    def review(self, run):
        """One stranger after the other, for as long as the rest of a start may take."""
        until = time.monotonic() + 5
        while time.monotonic() < until:
            status, said = self.ask(run, "POST", "/api/v2/wallets/managed/post/review/by-address",
                                    {"address": f"0x{secrets.randbits(160):040x}", "score": "positive", "title": "Kept its word"})
            if status == 200:
                self.acknowledged.append(said["hash"][2:])
            time.sleep(0.02)

    def has_them_all(self, run, home):
        holds(self.acknowledged, "whoever acts as soon as the server is ready is answered")
        status = followed(run, node_of(run))
        until = time.monotonic() + PATIENCE_S
        while (missing := set(self.acknowledged) - set(sql(home, "credence_owner", "SELECT DISTINCT encode(tx_hash, 'hex') FROM chain_events"
                                                           " WHERE event_name = 'ReviewCreated' AND status = 'applied'"))) and time.monotonic() < until:
            time.sleep(0.1)
        holds(not missing, f"and has a record of all that was acknowledged; of {len(self.acknowledged)} {len(missing)} have none; {status}")


def with_records_of_a_chain(executable, home):
    run = Run(executable, home, "--chain", "--no-demo", serve=OnAPartnersPage.SERVE)
    if run.code is not None:
        raise SystemExit("ops/run --chain --no-demo did not serve:\n" + run.said())
    status = followed(run, re.search(r"Chain +(\S+) ", run.said())[1])
    holds(status["state"] == "following" and status["lagBlocks"] == 0, "the whole chain is followed")
    nina = run.read("/api/v2/user/by/profile-id/1000001")
    holds(nina["status"] == "ACTIVE" and nina["stats"]["review"]["received"]["positive"] == 1, "who joined on the chain has a profile and a review")
    votes = run.read("/api/v2/votes/stats?type=review&activityId=1000001")["counts"]
    holds(votes == {"upvotes": 0, "downvotes": 1}, f"and the review has its vote; {votes}")
    failed = sql(home, "credence_owner", "SELECT event_name || ':' || reason FROM chain_events WHERE status = 'failed'")
    holds(failed == [], f"no event fails; {failed}")
    nina_acts = OnAPartnersPage(executable, home, run, 1000001)
    holds(run.stop() == 130, "Ctrl-C ends it with 130, with records of a chain as without")
    run = Run(executable, home, "--chain", "--no-demo", serve=OnAPartnersPage.SERVE, once_ready=nina_acts.review)
    holds(run.code is None and run.read("/api/v2/chain/status")["state"] in ("starting", "following"), "and it goes on with the next start")
    nina_acts.has_them_all(run, home)
    run.stop()


def for_strangers(executable, home):
    run = Run(executable, home, serve=["--http-address", "0.0.0.0"])
    holds(run.code == 2 and "http.public_demo" in run.said(), "the demo is not served to strangers")
    run.stop()
    run = Run(executable, home, serve=["--public-url", "https://credence.example"])
    holds(run.code is None and "Admins    nobody" in run.said(), "behind a proxy the demo has no admin")
    run.stop()
    run = Run(executable, home, serve=["--admin", "7"])
    holds("Admins    profile 7\n" in run.said(), "and whoever is named is told")
    run.stop()


def passwords(executable, home):
    run = Run(executable, home, "--database-url", "postgresql://credence:hunter2@127.0.0.1:1/credence")
    holds(run.code == 2 and "--database-url-file" in run.said() and "hunter2" not in run.said(), "a password is not taken as an argument")
    run.stop()


def main():
    executable = pathlib.Path(sys.argv[1]).resolve()
    home, fresh = (pathlib.Path(tempfile.mkdtemp(prefix="credence run-")) for _ in range(2))  # names may have spaces
    for each in (home, fresh):
        each.chmod(0o755)
    try:
        token = with_demo(executable, home)
        without_demo(executable, home, token)
        with_chain(executable, home)
        with_records_of_a_chain(executable, fresh)
        for_strangers(executable, home)
        passwords(executable, home)
    finally:
        for each in (home, fresh):
            shutil.rmtree(each, ignore_errors=True)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())

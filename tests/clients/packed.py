"""The Python client as a user of its wheel has it, by a server in between that loses answers on purpose; the examples of its README run as they are."""
import email.parser
import http.server
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
import zipfile

SOURCES = pathlib.Path(__file__).resolve().parents[2] / "http/clients/python"
URL, ORIGIN, KEY, RECEIVER = (os.environ[f"CREDENCE_{name}"] for name in ("URL", "ORIGIN", "WALLET_KEY", "TIP_RECEIVER"))


class Between(http.server.BaseHTTPRequestHandler):
    """Passes requests on. `faults` has what comes instead, once each: (status, headers, text), or None for an answer that is lost on its way back."""

    faults, sent = [], []
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.sent.append(self.headers)
        fault = self.faults.pop(0) if self.faults else ()
        if fault:
            return self.tell(*fault)
        headers = {name: value for name, value in self.headers.items() if name.lower() not in ("host", "connection", "content-length")}
        request = urllib.request.Request(URL + self.path, body or None, headers, method=self.command)
        try:
            with urllib.request.urlopen(request) as answer:
                status, told, text = answer.status, answer.headers, answer.read()
        except urllib.error.HTTPError as refused:
            status, told, text = refused.code, refused.headers, refused.read()
        if fault is None:
            self.close_connection = True
            return None
        return self.tell(status, {name: value for name, value in told.items() if name.lower() not in ("content-length", "connection", "transfer-encoding")}, text)

    do_POST = do_PUT = do_DELETE = do_GET

    def tell(self, status, headers, text):
        self.send_response_only(status)
        for name, value in {**headers, "Content-Length": len(text)}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


def refused(call, **words):
    try:
        call(**words)
    except CredenceError as said:
        return said
    raise AssertionError("it was not refused")


def tip(of, amount, **words):
    return of.send_tip(body={"receiverUserkey": RECEIVER, "amount": amount}, **words)


def sends_once(credence):
    """Lost answers, a busy server and a proxy's page are one act."""
    before = tip(credence, 1)["senderNewBalance"]
    Between.sent.clear()
    Between.faults += [None, (429, {"Retry-After": "1"}, b'{"code":"RATE_LIMITED","message":"later"}'), (502, {}, b"<h1>Bad gateway</h1>")]
    began = time.monotonic()
    assert tip(credence, 2)["senderNewBalance"] == before - 2, "it was paid once"
    assert len(Between.sent) == 4 and time.monotonic() - began >= 1, "it was sent four times, as late as the server asked"
    assert len({each["Idempotency-Key"] for each in Between.sent}) == 1 and Between.sent[0]["Idempotency-Key"], "with one key"
    assert {each["X-Service-Client"] for each in Between.sent} == {"packed@1.0"}, "each says who calls"
    Between.sent.clear()
    Between.faults += [(503, {"Retry-After": "0"}, b"")] * 2
    began = time.monotonic()
    credence.list_tips()
    assert len(Between.sent) == 3 and time.monotonic() - began >= 0.3, "it rests also where it is told not to"
    credence.patience = 0.4
    Between.faults += [None] * 8
    lost = refused(tip, of=credence, amount=3)
    Between.faults.clear()
    credence.patience = 60
    assert (lost.status, lost.code, lost.passes) == (0, "NO_ANSWER", True), lost
    assert tip(credence, 3, idempotency_key=lost.idempotency_key)["senderNewBalance"] == before - 5, "whoever asks with its key learns what came of it"
    Between.faults += [(429, {"Retry-After": "40000"}, b'{"code":"TOO_MANY_RECORDS","message":"tomorrow"}')]
    assert refused(tip, of=credence, amount=1).retry_after == 40000, "nobody waits until tomorrow"


def signs_in_again(at):
    stale = Credence(at, "packed@1.0", origin=ORIGIN, wallet=Wallet(KEY), token="ended")
    Between.sent.clear()
    asking = [threading.Thread(target=stale.get_vote_balance) for _ in range(2)]
    for each in asking:
        each.start()
    for each in asking:
        each.join()
    tokens = {each["Authorization"] for each in Between.sent} - {None, "Bearer ended"}
    assert len(tokens) == 1, f"one sign-in for both: {tokens}"
    assert refused(Credence(at, "packed@1.0", token="ended").get_vote_balance).code == "UNAUTHORIZED", "without a wallet that is told"
    Between.sent.clear()
    wrong = refused(tip, of=stale, amount=0)
    assert (wrong.status, wrong.code, wrong.passes, len(Between.sent)) == (400, "INVALID_AMOUNT", False, 1) and wrong.request_id, wrong


def signs_for_itself_alone(at):
    own, other = Wallet(KEY).address, "0x" + "11" * 20
    for address, nonce in ((other, "12345678"), (own + "\n\nAnything", "12345678"), (own, "12345678\nURI: https://elsewhere.example")):
        Between.sent.clear()
        Between.faults += [(200, {"Content-Type": "application/json"}, json.dumps({"address": address, "nonce": nonce}).encode())]
        try:
            Credence(at, "packed@1.0", origin=ORIGIN, wallet=Wallet(KEY)).authenticate()
            raise AssertionError("it was signed")
        except ValueError as why:
            assert "nothing is signed" in str(why) and len(Between.sent) == 1, why


def reads(credence):
    rows = [each["id"] for each in credence.each(credence.list_tips, limit=2)]
    assert len(set(rows)) == len(rows) == credence.list_tips(limit=100)["total"] > 2, rows
    assert len(credence.get_vote_totals_of_profiles(projectId=1, profileIds=[1, 2])) == 2, "a list in the query has a name for each"
    assert len(credence.list_replies_by_id(ids=[1, 2])) == 2, "or one text"
    listed = [each["id"] for each in credence.each(credence.list_projects, limit=2)]
    assert len(set(listed)) == len(listed) == credence.list_projects()["total"] > 0, "rows that are called otherwise"
    done = [(each["type"], each["data"]["id"]) for each in credence.each(credence.list_activities, body={"filter": ["review"], "limit": 2})]
    assert len(set(done)) == len(done) == credence.list_activities(body={"filter": ["review"]})["total"], "a list that is asked for by POST"
    assert list(credence.each(credence.list_holdings_of_address, address="0x" + "11" * 20)) == [], "a bare list"
    assert credence.get_score_of_userkey(userkey="profileId:1")["score"] > 0
    tip(credence, 1, dryRun="true")
    side = refused(credence.vote_on_project, projectId=1, body={"voteType": "SIDEWAYS"})
    assert side.status == 400 and side.issues, side
    Between.sent.clear()
    for each in ("", ".", ".."):
        try:
            credence.get_user_by_username(username=each)
            raise AssertionError("it was sent")
        except ValueError as why:
            assert "another call" in str(why)
    assert not Between.sent, "what would lead to another call is not sent"
    assert not hasattr(credence, "list_slashes_v1"), "calls of version 1 are left out"


def readme(wheel):
    about = next(name for name in zipfile.ZipFile(wheel).namelist() if name.endswith("/METADATA"))
    text = email.parser.Parser().parsestr(zipfile.ZipFile(wheel).read(about).decode()).get_payload()
    bot, makes_key = re.findall(r"```python\n(.*?)```", text, re.S)
    assert len(list(filter(None, bot.splitlines()))) <= 12

    def run(block, **more):
        environment = {**os.environ, "PYTHONPATH": str(wheel), **more}
        return subprocess.run([sys.executable, "-W", "error", "-c", block], env=environment, check=True, stdout=subprocess.PIPE, text=True).stdout

    key = run(makes_key, WALLET_KEY=KEY).strip()
    assert key.startswith("crd_"), key
    assert re.fullmatch(r"voted on project \d+\ntip \d+\n", run(bot, CREDENCE_KEY=key))


with tempfile.TemporaryDirectory() as directory:
    made = subprocess.run([sys.executable, SOURCES / "build.py", directory], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    wheel = pathlib.Path(directory) / made
    sys.path.insert(0, str(wheel))
    from credence_client import Credence, CredenceError, Wallet  # noqa: E402, as a user imports it
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Between)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    at = f"http://127.0.0.1:{server.server_port}/"
    credence = Credence(at, "packed@1.0", origin=ORIGIN, wallet=Wallet(KEY))
    sends_once(credence)
    signs_in_again(at)
    signs_for_itself_alone(at)
    reads(credence)
    readme(wheel)
    server.shutdown()
print("packed: all is well")

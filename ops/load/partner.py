"""Of the scenario `wallets`: a local node of a chain (anvil) whose contracts run what wallets sign, users on a partner's page, and their
requests on a fixed schedule, where the time of an answer counts from the moment its request was due.
"""
import asyncio
import collections
import http.client
import json
import pathlib
import secrets
import socket
import subprocess
import time

import chain

ROOT = pathlib.Path(__file__).resolve().parents[2]
CONTRACTS = ("profile", "review", "vote")
ORIGIN, CLIENT = "https://partner.example", "bench@1"
CONNECTIONS = 64
BLOCK_SECONDS, GAS_A_BLOCK = 1, 200_000_000  # 200 votes take some 17 million
ASKED_AT_ONCE = 200
ANSWER_PATIENCE_S = 30


# -- the chain --------------------------------------------------------------------------------

class Chain(chain.Node):
    """anvil with a block a second and contracts that run what wallets sign."""

    def __init__(self, log, failure):
        with socket.create_server(("127.0.0.1", 0)) as probe:
            self.port = probe.getsockname()[1]
        self.failure = failure
        told = self.script("contracts.mjs")
        self.at = {name: at for name, at in (each.split("=") for each in told.strip().split(",")) if name in CONTRACTS}
        with open(log, "wb") as out:
            self.process = subprocess.Popen([str(chain.ANVIL), "--host", "127.0.0.1", "--port", str(self.port), "--block-time", str(BLOCK_SECONDS),
                                             "--gas-limit", str(GAS_A_BLOCK), "--silent"],
                                            stdout=out, stderr=out, stdin=subprocess.DEVNULL, start_new_session=True)
        try:
            self.come_up(log)
            self.script("install.mjs", self.url)
        except BaseException:
            self.stop()
            raise

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def script(self, name, *words):
        done = subprocess.run(["node", str(ROOT / "ops/chain" / name), *words], capture_output=True, text=True)
        if done.returncode:
            raise self.failure(f"ops/chain/{name}: {done.stderr.strip()[-500:]}")
        return done.stdout

    def come_up(self, log):
        until = time.monotonic() + 30
        while True:
            try:
                self.ask("eth_chainId")
                return
            except OSError:
                if time.monotonic() > until or self.process.poll() is not None:
                    raise self.failure(f"the node of a chain did not start; see {log}") from None
                time.sleep(0.05)

    def ask_all(self, method, many):
        """One answer for each list of parameters, in their order."""
        out = []
        for first in range(0, len(many), ASKED_AT_ONCE):
            body = json.dumps([{"jsonrpc": "2.0", "id": at, "method": method, "params": params}
                               for at, params in enumerate(many[first:first + ASKED_AT_ONCE])])
            link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
            try:
                link.request("POST", "/", body, {"Content-Type": "application/json"})
                answers = sorted(json.loads(link.getresponse().read()), key=lambda each: each["id"])
            finally:
                link.close()
            for each in answers:
                if "error" in each:
                    raise self.failure(f"{method}: {each['error']}")
            out += [each["result"] for each in answers]
        return out

    def run(self, contract, selector, *words):
        data = "0x" + selector + "".join(f"{word:064x}" for word in words)
        self.ask("eth_sendTransaction", {"from": chain.WALLET, "to": self.at[contract], "gas": hex(300_000), "data": data})

    def head(self):
        return int(self.ask("eth_blockNumber"), 16)

    def set_balance(self, address, wei):
        self.ask("anvil_setBalance", address, hex(wei))

    def nonces(self, users, tag="latest"):
        return [int(each, 16) for each in self.ask_all("eth_getTransactionCount", [[user.wallet, tag] for user in users])]


# -- the users --------------------------------------------------------------------------------

class User:
    """Somebody on a partner's page. `number`: of the profile on the chain."""

    def __init__(self, number):
        self.number, self.profile = number, chain.ID_OFFSET + number
        self.cookies, self.wallet, self.votes = {}, None, 0

    def headers(self):
        return {"Origin": ORIGIN, "X-Service-Client": CLIENT,
                **({"Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())} if self.cookies else {})}

    def ask(self, port, method, path, **more):
        """(status, body); cookies that come are kept."""
        link = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        try:
            link.request(method, path, None, {**self.headers(), **more})
            answer = link.getresponse()
            for each in answer.headers.get_all("Set-Cookie") or ():
                name, value = each.split(";")[0].split("=", 1)
                self.cookies[name] = value
            return answer.status, answer.read()
        finally:
            link.close()


class Action:
    """A request with an Idempotency-Key of its own, and what became of it. `review`: the one that is voted on, by its number on the chain."""

    def __init__(self, user, path, body, review=None):
        content = json.dumps(body)
        fields = {"Host": "bench", **user.headers(), "Content-Type": "application/json", "Content-Length": len(content),
                  "Idempotency-Key": secrets.token_hex(16)}
        self.user, self.review = user, review
        self.request = "\r\n".join([f"POST {path} HTTP/1.1", *(f"{name}: {value}" for name, value in fields.items()), "", content]).encode()
        self.status, self.told, self.hash, self.ms, self.ended = 0, "", None, 0.0, 0.0

    def take(self, status, body):
        self.status, self.told = status, str(status)
        if status == 200:
            self.hash = json.loads(body)["hash"]
        else:
            self.told += " " + json.loads(body).get("code", "")

    def lost(self):
        self.status, self.told = 0, "no answer"

    def may_have_run(self):
        return self.status == 0 or self.status >= 500

    def what(self):
        return self.user.number, self.review


def vote(user, subjects):
    """On the next review that this user has not voted on."""
    review = subjects[user.votes]
    user.votes += 1
    return Action(user, f"/api/v2/wallets/activity/review/{chain.ID_OFFSET + review}/vote", {"isUpvote": True}, review)


# -- the load ---------------------------------------------------------------------------------

async def exchange(link, request):
    """(status, body, whether the connection may be used again)."""
    reader, writer = link
    writer.write(request)
    first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower().split("\r\n")
    fields = dict(line.split(": ", 1) for line in lines if ": " in line)
    body = await reader.readexactly(int(fields.get("content-length", 0)))
    return int(first.split(" ", 2)[1]), body, fields.get("connection") != "close"


async def offer_all(port, actions, rate):
    """A request goes over the connection that has rested longest, or over a new one where all are busy."""
    idle = collections.deque()
    for _ in range(min(CONNECTIONS, len(actions))):
        idle.append(await asyncio.open_connection("127.0.0.1", port))
    begin = time.monotonic() + 0.1

    async def send(action, due):
        link = None
        try:
            async with asyncio.timeout(ANSWER_PATIENCE_S):
                link = idle.popleft() if idle else await asyncio.open_connection("127.0.0.1", port)
                status, body, stays = await exchange(link, action.request)
            action.take(status, body)
            if stays:
                idle.append(link)
            else:
                link[1].close()
        except (OSError, EOFError, ValueError, LookupError, asyncio.LimitOverrunError):
            action.lost()
            if link:
                link[1].close()
        now = time.monotonic()
        action.ms, action.ended = (now - due) * 1000, now - begin

    under_way = []
    for number, action in enumerate(actions):
        due = begin + number / rate
        await asyncio.sleep(due - time.monotonic())
        under_way.append(asyncio.create_task(send(action, due)))
    await asyncio.gather(*under_way)
    for _, writer in idle:
        writer.close()


def offer(port, actions, rate):
    asyncio.run(offer_all(port, actions, rate))

"""A client of the Credence API with the standard library alone.

Each act has one effect, however often it is sent; the client signs in with a wallet, and waits where the server asks it to.
The calls are methods of `Credence`, made of the API's reference (calls.py).
"""

from __future__ import annotations

import datetime
import email.message
import http.client
import json
import random
import re
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from typing import Any, Iterator, Protocol

from .calls import Calls, How
from .wallet import Wallet

__all__ = ["Credence", "CredenceError", "Signer", "Wallet"]
LONGEST = 8.0  # seconds between two repeats, where the server does not say


class Signer(Protocol):
    """Who signs: a `Wallet`, or anything else that has an address and signs texts (EIP-191) for it."""

    address: str

    def sign(self, message: str) -> str: ...


class CredenceError(Exception):
    """What the server said instead of an answer; status 0 and `NO_ANSWER` where it said nothing.

    After `NO_ANSWER` or 503 the act may have had its effect: send the same with this `idempotency_key` to know.
    """

    def __init__(self, status: int, code: str, message: str, idempotency_key: str, headers: email.message.Message | None = None,
                 issues: list[dict[str, str]] | None = None):
        super().__init__(f"{status} {code}: {message}")
        self.status, self.code, self.message, self.idempotency_key = status, code, message, idempotency_key
        self.issues = issues or []
        self.request_id = headers and headers.get("X-Request-Id")
        after = (headers and headers.get("Retry-After")) or ""
        self.retry_after = int(after) if after.isdecimal() else None

    @property
    def passes(self) -> bool:
        """Whether the same request may be answered later."""
        return self.status in (0, 429, 502, 503, 504) or self.code == "IDEMPOTENCY_IN_PROGRESS"


class StaysHere(urllib.request.HTTPRedirectHandler):
    """Credentials are for one server: what leads elsewhere is an error."""

    def redirect_request(self, *_: Any) -> None:
        return None


def rows_of(page: Any) -> list[Any]:
    """The rows of a page: its `values`, the page itself where it is a list, or the only list in it."""
    if isinstance(page, list):
        return page
    lists = [page["values"]] if "values" in page else [each for each in page.values() if isinstance(each, list)]
    if len(lists) != 1:
        raise TypeError(f"the answer has {len(lists)} lists, and is not a page of one")
    return lists[0]


class Credence(Calls):
    """The API at `url`. `client` says who calls, as `name@version`.

    A `wallet` signs in where a call needs it and there is neither key nor token, and again once the token has ended.
    `origin` and `chain_id` are what signed messages name. A call takes `patience` seconds at most with all of its repeats, an answer `timeout`.
    """

    def __init__(self, url: str, client: str, *, api_key: str | None = None, token: str | None = None, wallet: Signer | None = None,
                 origin: str | None = None, chain_id: int = 8453, patience: float = 60, timeout: float = 15):
        self.url = url.rstrip("/")
        split = urllib.parse.urlsplit(self.url)
        self.client, self.origin, self.chain_id = client, origin or f"{split.scheme}://{split.netloc}", chain_id
        self.wallet, self.patience, self.timeout = wallet, patience, timeout
        self._api_key, self._token = api_key, token
        self._entering = threading.Lock()
        self._opener = urllib.request.build_opener(StaysHere)

    def each(self, call: Any, **parameters: Any) -> Iterator[dict[str, Any]]:
        """Every row of a list, page after page: `each(credence.list_tips)`, `each(credence.list_activities, body={})`."""
        offset, total = 0, 1
        while offset < total:
            body = parameters.get("body")
            page = call(**parameters, offset=offset) if body is None else call(**{**parameters, "body": {**body, "offset": offset}})
            rows = rows_of(page)
            if not rows:
                return
            yield from rows
            offset += len(rows)
            total = offset + 1 if isinstance(page, list) else page.get("total", offset + 1)

    def authenticate(self) -> None:
        """Signs in with the wallet. Calls that need it do so by themselves."""
        wallet = self._signer()
        said = self.get_sign_in_nonce(address=wallet.address)
        message = self._message(said["address"], "Sign in.", said["nonce"])
        self._token = self.sign_in(body={"message": message, "signature": wallet.sign(message)})["accessToken"]

    def make_api_key(self, name: str, expires_at: datetime.datetime, **about: Any) -> dict[str, Any]:
        """Makes an API key of the wallet's profile, with `scopes` and `allowedNetworks` if they are given, and goes on with it.

        Its token is in this answer alone.
        """
        wallet = self._signer()
        address = self.get_sign_in_nonce(address=wallet.address)["address"]  # with its checksum
        until = text_of(expires_at)
        message = self._message(address, f"Make the API key {name} until {until}.", uuid.uuid4().hex)
        body = {**about, "address": address, "name": name, "expiresAt": until, "message": message, "signature": wallet.sign(message)}
        made = self.create_api_key(body=body)
        self._api_key, self._token = made["token"], None
        return made

    def _signer(self) -> Signer:
        if self.wallet is None:
            raise TypeError("this client has no wallet to sign with")
        return self.wallet

    def _message(self, address: str, statement: str, nonce: str) -> str:
        """A message of EIP-4361 that is good for five minutes."""
        if address.lower() != self._signer().address.lower() or not re.fullmatch("[0-9A-Za-z]{8,128}", nonce):
            raise ValueError("nothing is signed: the server answered another address, or what is no nonce of EIP-4361")
        now = datetime.datetime.now(datetime.timezone.utc)
        host = urllib.parse.urlsplit(self.origin).netloc
        return (f"{host} wants you to sign in with your Ethereum account:\n{address}\n\n{statement}\n\nURI: {self.origin}\nVersion: 1\n"
                f"Chain ID: {self.chain_id}\nNonce: {nonce}\nIssued At: {text_of(now)}\nExpiration Time: {text_of(now + datetime.timedelta(minutes=5))}")

    def _signs_in(self, how: How) -> bool:
        return how.asks and self.wallet is not None and self._api_key is None

    def _renew(self, ended: str | None) -> None:
        """Signs in, once for all threads that found the same token ended."""
        with self._entering:
            if self._token == ended:
                self._token = None  # a wrong credential is refused where none is needed, too
                self.authenticate()

    def _send(self, how: How, parameters: dict[str, Any], body: Any, idempotency_key: str | None) -> Any:
        """One act, sent until it is answered, refused, or patience ends."""
        key = idempotency_key or str(uuid.uuid4())
        end = time.monotonic() + self.patience
        pause, renewed = 0.25, False
        while True:
            if self._signs_in(how) and self._token is None:
                self._renew(None)
            used = self._token
            try:
                return self._send_once(how, parameters, body, key, end - time.monotonic())
            except CredenceError as said:
                if said.status == 401 and self._signs_in(how) and not renewed:
                    renewed = True
                    self._renew(used)
                    continue
                wait = max(pause * random.uniform(0.5, 1), said.retry_after or 0)  # also where a proxy says 0
                if not said.passes or time.monotonic() + wait >= end:
                    raise
            time.sleep(wait)
            pause = min(2 * pause, LONGEST)

    def _send_once(self, how: How, parameters: dict[str, Any], body: Any, key: str, rest: float) -> Any:
        given = {name: value for name, value in parameters.items() if value is not None}
        path = how.path
        for name in [each for each in given if f"{{{each}}}" in path]:
            part = worded(given.pop(name))
            if part in ("", ".", ".."):
                raise ValueError(f"{name} would lead to another call: {part!r}")
            path = path.replace(f"{{{name}}}", urllib.parse.quote(part, safe=""))
        query = urllib.parse.urlencode([(name, each) for name, value in given.items() for each in spread(value, name in how.joined)])
        headers = {"Accept": "application/json", "X-Service-Client": self.client}
        if self._api_key is not None:
            headers["X-Service-Api-Key"] = self._api_key
        elif self._token is not None:
            headers["Authorization"] = f"Bearer {self._token}"
        if how.once:
            headers["Idempotency-Key"] = key
        data = None
        if body is not None:
            headers["Content-Type"] = "application/json"
            data = json.dumps(body).encode()
        request = urllib.request.Request(f"{self.url}{path}{'?' if query else ''}{query}", data, headers, method=how.verb)
        try:
            with self._opener.open(request, timeout=max(0.001, min(self.timeout, rest))) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as refused:
            try:
                text = refused.read().decode(errors="replace")
            except (OSError, http.client.HTTPException) as why:
                raise CredenceError(0, "NO_ANSWER", str(why), key) from why
            said = json_of(text)
            raise CredenceError(refused.code, said.get("code", "NO_JSON"), said.get("message", text[:200]), key, refused.headers, said.get("issues")) from None
        except (OSError, http.client.HTTPException, ValueError) as why:  # a broken connection, or half an answer
            raise CredenceError(0, "NO_ANSWER", str(why), key) from why


def json_of(text: str) -> dict[str, Any]:
    """An object of JSON; empty where it is none, as of a proxy."""
    try:
        said = json.loads(text)
    except ValueError:
        return {}
    return said if isinstance(said, dict) else {}


def text_of(moment: datetime.datetime) -> str:
    """ISO 8601 with milliseconds, as the API writes it."""
    return moment.astimezone(datetime.timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def worded(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def spread(value: Any, joined: bool) -> list[str]:
    """What stands in the query for a value: a name for each item of a list, or one text with commas."""
    if not isinstance(value, (list, tuple)):
        return [worded(value)]
    return [",".join(map(worded, value))] if joined else [worded(each) for each in value]

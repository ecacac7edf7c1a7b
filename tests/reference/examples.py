#!/usr/bin/env python3
"""Sends every example of the reference to a server with the demo, as a reader of /docs does, and prints those that do not succeed.

    tests/reference/examples.py URL DEMO.json ADMIN-TOKEN

Sent are reads and dry runs of writes with what the page fills in, by the first account of the demo (demo.json of `ops/run`) that may. What the demo
cannot have an example of is named below, with the reason. Ends with 1 when an example fails, or one that is named below does not.
"""
import json
import pathlib
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

# operationId: why its example does not succeed on the demo.
CHAIN = "the demo follows no chain"
ROLES = "nobody of the demo has this role"
SIGNED = "the message is of another service and moment"
PARTNERS = "the demo lists no partner"
APART = {
    "getSecurityContact": "the operator names nobody",
    "getHealthAlwaysFail": "it fails by its purpose",
    "getEtherPrice": "the operator states no price",
    "getEventOfTransaction": CHAIN, "getEventOfTransactionV1": CHAIN, "getTransactionProcessed": CHAIN, "getActivityOfTransaction": CHAIN,
    "getUserByManagedWallet": "its wallets are made by the server's own key", "getUserByFarcaster": "nobody of the demo is there",
    "getUserByFarcasterUsername": "nobody of the demo is there", "getUserByTelegram": "nobody of the demo is there",
    "linkAddress": SIGNED, "createProfile": SIGNED, "unlinkAddress": "everybody has one address", "cancelInvitation": "all are accepted",
    "getBrokerPost": "there is none", "createBond": ROLES, "archiveBond": ROLES, "setBondExpiration": ROLES, "revokeHuman": "nobody is verified",
    "checkManagedAuth": PARTNERS, "switchPartner": PARTNERS, "removePartner": PARTNERS,
}


class Reference:
    """The server's document."""

    def __init__(self, url):
        self.url = url
        with urllib.request.urlopen(f"{url}/openapi.json") as answer:
            self.document = json.load(answer)

    def seen(self, node):
        while "$ref" in node:
            found = self.document
            for key in node["$ref"][2:].split("/"):
                found = found[key.replace("~1", "/").replace("~0", "~")]
            node = found
        return node

    def calls(self):
        for path, item in self.document["paths"].items():
            for verb, call in item.items():
                yield verb.upper(), path, {**call, "parameters": [self.seen(each) for each in call["parameters"]]}

    def send(self, verb, path, call, values, token):
        """(status, what was said) with these values of its parameters."""
        query = []
        for parameter in call["parameters"]:
            if parameter["name"] not in values:
                continue
            value = values[parameter["name"]]
            if parameter["in"] == "path":
                path = path.replace(f"{{{parameter['name']}}}", urllib.parse.quote(str(value), safe=""))
            elif isinstance(value, list):
                joined = parameter.get("explode") is False
                query += [(parameter["name"], ",".join(map(str, value)))] if joined else [(parameter["name"], each) for each in value]
            else:
                query.append((parameter["name"], str(value).lower() if isinstance(value, bool) else value))
        body = self.seen(call.get("requestBody", {})).get("content", {}).get("application/json")
        headers = {"X-Service-Client": "examples@1.0", **({"Authorization": f"Bearer {token}"} if token else {}), **({"Content-Type": "application/json"} if body else {})}
        request = urllib.request.Request(f"{self.url}{path}{'?' if query else ''}{urllib.parse.urlencode(query)}", body and json.dumps(body["example"]).encode(), headers, method=verb)
        for _ in range(30):
            try:
                with urllib.request.urlopen(request, timeout=60) as answer:
                    answer.read()
                    return answer.status, ""
            except urllib.error.HTTPError as refused:
                said = refused.code, refused.read().decode(errors="replace")[:200]
                if refused.code not in (429, 503):
                    return said
                time.sleep(int(refused.headers.get("Retry-After", 1)))
        return said


def examples(reference, accounts, admin):
    """(operationId, answers of those who tried) for each example that can be sent."""
    for verb, path, call in reference.calls():
        gone = "200" not in call["responses"] and call.get("deprecated")
        is_read = verb == "GET" or call["x-rate-class"] == "read"
        tries = any(each["name"] == "dryRun" for each in call["parameters"])
        may_ask = call["x-access"] == "open" or any("accessToken" in each for each in call["security"])
        if gone or not may_ask or not (is_read or tries):
            continue
        values = {each["name"]: each["example"] for each in call["parameters"]
                  if each["in"] in ("path", "query") and (each.get("required") or each["name"] in call.get("x-filled", ()))}
        values = values if is_read else {**values, "dryRun": "true"}
        tokens = [None] if call["x-access"] == "open" and not call["security"] else [admin] if call["x-access"] == "admin" else [*accounts, admin]
        said = []
        for token in tokens:
            said.append(reference.send(verb, path, call, values, token))
            if said[-1][0] == 200:
                break
        yield call["operationId"], said


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    url, demo, admin = sys.argv[1:]
    accounts = [each["token"] for each in json.loads(pathlib.Path(demo).read_text())["accounts"]]
    sent = failed = 0
    for what, said in examples(Reference(url), accounts, admin):
        sent += 1
        succeeds = said[-1][0] == 200
        if succeeds == (what in APART):
            failed += 1
            print(f"{what}: it succeeds, and is named as one that does not" if succeeds else f"{what}: {' | '.join(f'{status} {text}' for status, text in said[:2])}")
    print(f"{sent} examples, {failed} that are not as they should be", file=sys.stderr)
    return 1 if failed or sent < 100 else 0


if __name__ == "__main__":
    sys.exit(main())

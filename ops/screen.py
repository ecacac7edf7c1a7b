#!/usr/bin/env python3
"""The screen that ops/run ends with, and what it leaves in demo.json for those who want more.

    ops/screen.py add BASE [TRANSACTION ENDPOINT] < demo.json
        prints demo.json with a vote that can be cast (`vote`), commands to try (`examples`, with $TOKEN in them), and
        what belongs to a chain (`chain`)
    ops/screen.py show BASE NAME=TEXT... < demo.json, or nothing
        prints the screen, at most 24 lines of 80 columns where paths are short; NAME is `operator`, `Console` (a link that signs in once), `token`
        (the command that mints tokens), `file` (where demo.json is), or the label of one more line, in their order
"""
import json
import sys
import urllib.request

JSON_BODY = "-H 'Content-Type: application/json'"
TOKEN = '-H "Authorization: Bearer $TOKEN"'


def get(base, path, token=None):
    request = urllib.request.Request(base + path, headers={"Authorization": "Bearer " + token} if token else {})
    return json.load(urllib.request.urlopen(request, timeout=5))


def free_vote(base, demo):
    """A voter and a project on which it has not voted yet, so that the vote works when pasted."""
    try:
        projects = [p["id"] for p in get(base, "/api/v2/internal/listings?limit=100")["projects"] if p["status"] == "ACTIVE"]
        for account in demo["accounts"][1:]:
            for project in projects:
                if get(base, f"/api/v2/projects/votes/balance?projectId={project}", account["token"])["userVote"] is None:
                    return account, project
    except (OSError, KeyError, TypeError, ValueError):
        pass
    return demo["accounts"][-1], demo["projectIds"][0]


def posted(url, body):
    return f"curl -s {url} {TOKEN} {JSON_BODY} -d '{json.dumps(body)}'"


def examples(base, demo, project):
    """Commands to paste, one a line."""
    out = [f"curl -s '{base}/api/v2/users/search?query=ada&limit=3'",
           posted(f"{base}/api/v2/projects/{project}/votes", {"voteType": "BULLISH", "voteReason": "ships every week"}),
           f"curl -s '{base}/api/v2/projects/votes/balance?projectId={project}' {TOKEN}",
           posted(f"{base}/api/v2/xp/tip", {"receiverUserkey": "profileId:1", "amount": 5, "message": "thanks"})]
    try:
        for market in get(base, "/api/v1/markets/search?limit=1")["data"]:
            out += [f"curl -s '{base}/api/v1/markets/search?limit=3'",
                    posted(f"{base}/api/v2/markets/{market['marketProfileId']}/trades", {"action": "buy", "voteType": "trust", "votes": 2})]
    except (OSError, KeyError, TypeError, ValueError):
        pass
    if "chain" in demo:
        out += [f"curl -s {base}/api/v2/chain/status",
                f"curl -s '{base}/api/v1/events/process?txHash={demo['chain']['exampleTxHash']}' {TOKEN}"]
    return out


def add(base, demo, chain):
    if chain:
        demo["chain"] = dict(zip(("exampleTxHash", "endpoint"), chain))
    voter, project = free_vote(base, demo)
    demo["vote"] = {"profileId": voter["profileId"], "projectId": project}
    demo["examples"] = examples(base, demo, project)
    return demo


def to_try(base, demo, said):
    """Where TOKEN comes from, and three commands."""
    vote = demo["vote"]
    name = next(a["name"] for a in demo["accounts"] if a["profileId"] == vote["profileId"])
    print(f"\nTry it as {name}, profile {vote['profileId']} (another number is another profile):")
    print(f"  TOKEN=$({said['token'].format(vote['profileId'])})")
    print(f"  curl -s '{base}/api/v2/internal/listings?limit=3'")
    print(f"  curl -s {base}/api/v2/projects/{vote['projectId']}/votes \\\n    {TOKEN} {JSON_BODY} \\")
    print("    -d '{\"voteType\":\"BULLISH\",\"voteReason\":\"ships every week\"}'")
    last = f"/api/v1/events/process?txHash={demo['chain']['exampleTxHash']}" if "chain" in demo else f"/api/v2/projects/votes/balance?projectId={vote['projectId']}"
    print(f"  curl -s '{base}{last}' \\\n    {TOKEN}")
    print(f"Ten accounts with tokens and wallets, and more examples: {said['file']}\n")


def show(base, demo, said):
    print(f"\nServing   {base} (API, /livez, /readyz)")
    print(f"Operator  {said.pop('operator')} (/metrics, /livez, /readyz?verbose)")
    if "Console" in said:
        print(f"Console   {said.pop('Console')}")
    if "Chain" in said:
        print(f"Chain     {said.pop('Chain')}")
    if demo:
        to_try(base, demo, said)
    else:
        print(f"Tokens    {said['token'].format(7)}")
    for label, text in said.items():
        if label not in ("token", "file"):
            print(f"{label:<9} {text}")


def main():
    what, base, *rest = sys.argv[1:]
    told = sys.stdin.read().strip()
    demo = json.loads(told) if told else None
    if what == "add":
        json.dump(add(base, demo, rest), sys.stdout)
    else:
        show(base, demo, dict(each.split("=", 1) for each in rest))


main()

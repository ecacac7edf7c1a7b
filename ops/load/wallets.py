"""The scenario `wallets` of ops/bench: 50 users act on a partner's page with their managed wallets, 200 actions a second in all.

A local node (anvil) makes a block a second. An action is a vote on a review that its user has not voted on yet; the same users write
these reviews before, in the same way. Requests come on a fixed schedule, and the time of an answer counts from the moment its request
was due. For a minute, bars: 200 actions a second are answered, less than 1 % of them otherwise than with 200, and everything that was
answered 200 is in a block, once. Then one wallet is stuck: 16 of its transactions wait, its account is empty, and nobody pays for it;
its user goes on asking. Bar: the p99 of the other 49 within 1.5 times that of the run before, in which no wallet was stuck.
"""
import collections
import json
import math
import secrets
import statistics
import time

import chain
from partner import BLOCK_SECONDS, ORIGIN, Action, Chain, User, offer, vote

# Of ops/chain/contracts/Reputation.sol: createProfile(address), claimAddress(uint256,address), and the event Voted.
CREATE_PROFILE, CLAIM_ADDRESS = "f536c520", "59ebcf50"
VOTED = "0xfeda367d5feb48361501c702cd43bdba989f2c4da53792e4d6cddaaa2fe14842"
USERS, RATE = 50, 200
ANSWERED_LEAST, REFUSED_BELOW, P99_MOST = 0.99, 0.01, 1.5
STUCK_SHARE, STUCK_OPEN = 1 / 3, 16  # of the minute; transactions that wait
REVIEWS_A_SECOND, FIRST_SUBJECT = 100, 0xB0B0000
PATIENCE_S, SLICE_S = 120, 5
ETHER = 10 ** 18
GIFT = 5 * ETHER  # pays for far more than all actions of a wallet
# No bound on what a user may do holds. The funding account pays for a wallet once a day: one that is emptied stays empty. Nothing is
# sent again with a higher fee, so the hash that was answered is the one in a block.
NO_BOUNDS = ["--http-rate-wallet", "1000000/s burst 1000000", "--auth-session-token-minutes", "1440",
             "--wallets-signatures-per-day", "1000000", "--wallets-in-flight-max", "64", "--wallets-stuck-after", "600000",
             "--wallets-sponsor", "true", "--wallets-sponsor-least-wei", str(GIFT), "--wallets-sponsor-per-wallet-wei", str(GIFT * 3 // 2),
             "--wallets-sponsor-per-day-wei", str(GIFT * 4 * USERS)]


def flags(node):
    return ["--chain-endpoints", node.url, "--chain-id", "31337", "--chain-start-block", "1", "--chain-confirmations", "0",
            "--chain-authority", "0", "--chain-poll", str(1000 * BLOCK_SECONDS),
            "--chain-contracts", ",".join(f"{name}={at}" for name, at in node.at.items()),
            "--chain-kinds", "identity,review,vote", "--chain-id-offset", str(chain.ID_OFFSET),
            "--wallets-partner-origins", ORIGIN, *NO_BOUNDS]


def votes_of(users, subjects, seconds):
    """As many as the schedule has in that time, of the users in turn."""
    return [vote(users[number % len(users)], subjects) for number in range(round(seconds * RATE))]


def at(times, share):
    return sorted(times)[max(0, math.ceil(share * len(times)) - 1)]


def told(actions):
    return dict(sorted(collections.Counter(action.told for action in actions).items()))


# -- waiting ----------------------------------------------------------------------------------

def seconds_until(good, every=0.1):
    """Nothing if that is not so within PATIENCE_S."""
    began = time.monotonic()
    while not good():
        if time.monotonic() > began + PATIENCE_S:
            return None
        time.sleep(every)
    return time.monotonic() - began


def need(what, good, failure):
    if seconds_until(good, 0.2) is None:
        raise failure(f"wallets: {what} within {PATIENCE_S} s")


def until_200(what, ask, failure):
    """The body. Somebody who has just joined is refused until that block is stored."""
    until = time.monotonic() + PATIENCE_S
    while True:
        status, body = ask()
        if status == 200:
            return body
        if time.monotonic() > until:
            raise failure(f"wallets: {what}: {status} {body[:300].decode(errors='replace')}")
        time.sleep(0.2)


def settle(bench, node, users, before, actions):
    """Seconds from now until all that was answered 200 has a nonce in a block, `before` being those of earlier, and until no transaction
    may change any more."""
    wanted = sum(before) + sum(action.status == 200 for action in actions)
    began = time.monotonic()
    mined = seconds_until(lambda: sum(node.nonces(users)) >= wanted)
    done = seconds_until(lambda: bench.query("SELECT count(*) FROM wallet_transactions WHERE NOT done") == [0], 0.25)
    return mined, None if done is None else time.monotonic() - began


# -- preparing --------------------------------------------------------------------------------

def admit(bench, node, failure):
    """Users who have joined on the chain, let the partner act, signed in on its page and have a wallet there."""
    users = [User(number) for number in range(1, USERS + 1)]
    for user in users:
        node.run("profile", CREATE_PROFILE, chain.FIRST_ADDRESS + user.number)
    need("not all profiles are followed", lambda: bench.query(f"SELECT count(*) FROM profiles WHERE id > {chain.ID_OFFSET}") == [USERS], failure)
    for user in users:
        token = bench.credence("token", user.profile).strip()
        until_200("letting a partner in", lambda: bench.ask("POST", "/api/v2/wallets/managed/partners", token, {"origin": ORIGIN}), failure)
        until_200("signing in", lambda: user.ask(bench.ours.port, "POST", "/api/v2/auth/exchange", Authorization=f"Bearer {token}"), failure)
        user.wallet = json.loads(until_200("a wallet", lambda: user.ask(bench.ours.port, "GET", "/api/v2/wallets/funds-check"), failure))["address"]
        node.run("profile", CLAIM_ADDRESS, user.number, int(user.wallet, 16))
    need("not all wallets are followed", lambda: bench.query("SELECT count(*) FROM chain_events WHERE event_name = 'AddressClaim'") == [USERS], failure)
    funding = "SELECT encode(address, 'hex') FROM managed_wallets WHERE id = 0"
    need("there is no account that pays for gas", lambda: bench.texts(funding), failure)
    node.set_balance("0x" + bench.texts(funding)[0], 8 * USERS * GIFT)
    return users


def write_reviews(bench, users, numbers, rate, failure):
    """Each about another stranger. One that is refused comes again: the account that pays for gas serves some 48 wallets at a time."""
    until = time.monotonic() + PATIENCE_S + len(numbers) / rate
    todo = [Action(users[number % len(users)], "/api/v2/wallets/managed/post/review/by-address",
                   {"address": f"0x{FIRST_SUBJECT + number:040x}", "score": "positive", "title": "Kept its word"}) for number in numbers]
    while todo:
        offer(bench.ours.port, todo, rate)
        todo = [action for action in todo if action.status != 200]
        if todo and time.monotonic() > until:
            raise failure(f"wallets: {len(todo)} reviews cannot be written: {told(todo)}")


def make_subjects(bench, users, count, failure):
    """Numbers on the chain of so many reviews, or more."""
    write_reviews(bench, users, range(USERS), REVIEWS_A_SECOND / 4, failure)  # each waits for gas
    write_reviews(bench, users, range(USERS, count), REVIEWS_A_SECOND, failure)
    need("the reviews are not all settled", lambda: bench.query("SELECT count(*) FROM wallet_transactions WHERE NOT done") == [0], failure)
    need("texts of reviews are missing", lambda: bench.query("SELECT count(*) FROM chain_texts WHERE state = 'wanted'") == [0], failure)
    out = [each - chain.ID_OFFSET for each in bench.query("SELECT id FROM reviews WHERE source = 'chain' ORDER BY id")]
    if len(out) < count:
        raise failure(f"wallets: {len(out)} reviews are there, and {count} are needed")
    return out


# -- checks -----------------------------------------------------------------------------------

def voted(log):
    """(user, review) of an event, or nothing of another one."""
    topics = log["topics"]
    return (int(topics[1], 16), int(topics[3], 16)) if topics[0] == VOTED else None


def check_events(bench, node, actions, since, settled, failure):
    """How many actions that were answered 200 are in no block. Fails where one is there otherwise than once as it was asked for, or
    where the service has not stored the same events although all is settled."""
    sure = [action for action in actions if action.status == 200]
    receipts = node.ask_all("eth_getTransactionReceipt", [[action.hash] for action in sure])
    wrong = sum(receipt is not None and (receipt["status"] != "0x1" or [voted(log) for log in receipt["logs"]] != [action.what()])
                for action, receipt in zip(sure, receipts))
    logs = node.ask("eth_getLogs", {"fromBlock": hex(since), "toBlock": "latest", "address": node.at["vote"]})
    events = collections.Counter(map(voted, logs))
    asked = {action.what() for action in sure} | {action.what() for action in actions if action.may_have_run()}
    doubled, refused = sum(count > 1 for count in events.values()), sum(what not in asked for what in events)
    if wrong or doubled or refused:
        raise failure(f"wallets: of {len(sure)} actions {wrong} have another event than was asked for, {doubled} more than one,"
                      f" and {refused} events are of nothing that was asked for, or of what was refused")
    if settled:
        stored = bench.query(f"SELECT count(*) FROM chain_events WHERE event_name = 'Voted' AND status = 'applied' AND block_number >= {since}")[0]
        if stored != len(logs):
            raise failure(f"wallets: of {len(logs)} events {stored} are stored and applied")
    return receipts.count(None)


def check_nonces(bench, node, users, failure):
    """Every nonce of each wallet, up to the node's count, is of one transaction that is stored, and nothing waits behind them."""
    rows = bench.texts("SELECT wallet_id, count(*), count(DISTINCT nonce), max(nonce) + 1 FROM wallet_transactions"
                       " WHERE wallet_id > 0 AND block IS NOT NULL GROUP BY wallet_id")
    stored = {int(wallet): tuple(map(int, counts)) for wallet, *counts in (row.split("|") for row in rows)}
    bad = [user.wallet for user, latest, pending in zip(users, node.nonces(users), node.nonces(users, "pending"))
           if pending != latest or stored.get(user.profile) != (latest,) * 3]
    if bad:
        raise failure(f"wallets: the nonces of {len(bad)} wallets have gaps, or are of others, such as those of {bad[0]}")


def finish(bench, node, users, actions, before, since, failure):
    """Waits for what was acknowledged, and looks whether it is right."""
    mined, settled = settle(bench, node, users, before, actions)
    missing = check_events(bench, node, actions, since, settled is not None, failure)
    if settled is not None:
        check_nonces(bench, node, users, failure)
    return {"mined_s": mined, "settled_s": settled, "missing": missing}


def whole(run):
    """Nothing is left that would come into blocks during the next run."""
    return run["settled_s"] is not None and not run["missing"]


# -- measuring --------------------------------------------------------------------------------

def act(bench, node, users, subjects, seconds, failure):
    """All users in turn on the schedule."""
    before, since, actions = node.nonces(users), node.head() + 1, votes_of(users, subjects, seconds)
    offer(bench.ours.port, actions, RATE)
    ms = [action.ms for action in actions]
    good = [action for action in actions if action.status == 200]
    return {"actions": len(actions), "answers": told(actions), "refused": 1 - len(good) / len(actions),
            "rps": sum(action.ended <= seconds for action in good) / seconds, "p50": at(ms, 0.5), "p99": at(ms, 0.99), "max": max(ms),
            "p99_by_slice": [at(ms[first:first + SLICE_S * RATE], 0.99) for first in range(0, len(ms), SLICE_S * RATE)],
            **finish(bench, node, users, actions, before, since, failure)}, actions


def stick(bench, node, user, subjects, failure):
    """The votes that wait: nothing is mined until the node has them and the account is empty."""
    actions = [vote(user, subjects) for _ in range(STUCK_OPEN)]
    node.ask("evm_setIntervalMining", 0)
    try:
        offer(bench.ours.port, actions, RATE / 4)
        node.set_balance(user.wallet, 0)
    finally:
        node.ask("evm_setIntervalMining", BLOCK_SECONDS)
    if any(action.status != 200 for action in actions):
        raise failure(f"wallets: a wallet cannot be made to wait: {told(actions)}")
    return actions


def act_beside_stuck(bench, node, users, stuck, subjects, seconds, failure):
    """The same while one wallet is stuck, which can pay again afterwards; all that it was answered 200 for must come then, too."""
    before, since = node.nonces(users), node.head() + 1
    waiting = stick(bench, node, stuck, subjects, failure)
    stands = node.nonces([stuck])
    try:
        actions = votes_of(users, subjects, seconds)
        offer(bench.ours.port, actions, RATE)
        if node.nonces([stuck]) != stands:
            raise failure("wallets: the wallet that was to be stuck was not")
    finally:
        node.set_balance(stuck.wallet, GIFT)
    return actions, finish(bench, node, users, waiting + actions, before, since, failure)


def of_others(actions, stuck):
    others = [action for action in actions if action.user is not stuck]
    return at([action.ms for action in others], 0.99), told(others)


def compare(bench, node, users, stuck, subjects, seconds, failure):
    run, alone = act(bench, node, users, subjects, seconds, failure)
    if not whole(run):
        raise failure(f"wallets: {run['missing']} actions that were answered 200 are in no block, or not all are settled within {PATIENCE_S} s")
    actions, ended = act_beside_stuck(bench, node, users, stuck, subjects, seconds, failure)
    without, p99 = of_others(alone, stuck), of_others(actions, stuck)
    return {"without": without[0], "p99": p99[0], "answers_without": without[1], "answers": p99[1],
            "stuck": told(action for action in actions if action.user is stuck), **ended}


def measure(bench, say, failure):
    """Returns {"text": what to print, ...}; `bench` is ready to serve."""
    seconds = bench.args.wallet_seconds
    beside = seconds * STUCK_SHARE
    rounds = bench.args.rounds

    def each(of):  # actions of one user in such a run
        return math.ceil(round(of * RATE) / USERS)
    node = Chain(bench.home / "anvil.log", failure)
    try:
        bench.env["CREDENCE_WALLETS_MASTER_KEY"] = secrets.token_hex(32)
        bench.args.serve += flags(node)
        bench.restart_service()
        say(f"  wallets  {USERS} users sign in and write reviews")
        users = admit(bench, node, failure)
        subjects = make_subjects(bench, users, each(seconds) + rounds * (2 * each(beside) + STUCK_OPEN), failure)
        first, _ = act(bench, node, users, subjects, seconds, failure)
        say(f"  wallets  {RATE}/s {first['rps']:.1f} answered/s  p50 {first['p50']:.1f}  p99 {first['p99']:.1f} ms  {first['answers']}")
        turns = []
        for number in range(rounds):
            if not whole(turns[-1] if turns else first):
                break
            turns.append(compare(bench, node, users, users[number % USERS], subjects, beside, failure))
            say(f"  wallets  one stuck: p99 of the others {turns[-1]['p99']:.1f} ms, {turns[-1]['without']:.1f} without")
    finally:
        node.stop()
    result = {"seconds": seconds, "first": first, "stuck_seconds": beside, "rounds": turns}
    result["text"] = describe(result)
    return result


def describe(result):
    first, rounds = result["first"], result["rounds"]

    def verdict(met):
        return "met" if met else "MISSED"

    def within(seconds):
        return f"not within {PATIENCE_S} s" if seconds is None else f"within {seconds:.1f} s"

    def middle(get):
        return statistics.median(map(get, rounds))
    good = first["rps"] >= ANSWERED_LEAST * RATE and first["refused"] < REFUSED_BELOW
    missing = first["missing"] + sum(r["missing"] for r in rounds)
    lines = [
        f"wallets: {USERS} users on a partner's page, {RATE} actions/s for {result['seconds']:g} s, a block every {BLOCK_SECONDS} s",
        f"  answers {first['answers']}; p50 {first['p50']:.1f} ms, p99 {first['p99']:.1f} ms, max {first['max']:.1f} ms",
        f"  p99 of each {SLICE_S} s, in ms: {', '.join(f'{p99:.0f}' for p99 in first['p99_by_slice'])}",
        f"  {first['rps']:.1f}/s answered 200 in time (bar >= {ANSWERED_LEAST * RATE:.0f}), {100 * first['refused']:.2f} % not 200 (bar < {100 * REFUSED_BELOW:.0f}): {verdict(good)}",
        f"  after the last answer all were in blocks {within(first['mined_s'])}, and settled {within(first['settled_s'])}",
        f"  answered 200 and in no block: {missing} (bar 0): {verdict(missing == 0)}; of the others each is there once, and no nonce is left out"]
    if not rounds:
        return "\n".join([*lines, "  one stuck wallet: not measured, as something was left over"])
    ratio = middle(lambda r: r["p99"] / max(r["without"], 1e-9))
    return "\n".join([
        *lines,
        f"  one stuck wallet: p99 of the other {USERS - 1} {middle(lambda r: r['p99']):.1f} ms against {middle(lambda r: r['without']):.1f} without, {ratio:.2f} times "
        f"(bar <= {P99_MOST}): {verdict(ratio <= P99_MOST)}; {len(rounds)} rounds of {result['stuck_seconds']:g} s",
        f"  the others were answered {rounds[-1]['answers']} beside it, {rounds[-1]['answers_without']} without; its own user {rounds[-1]['stuck']}"])

"""The scenario `masses` of ops/bench: one person's act that moves what many have written, beside votes of others.

A profile has cast 1,000,000 votes on activities, written a tenth as many reviews and vouches for 256 people; wallets, people without a
profile and accounts have a tenth as many reviews each. There are three such casts. Acts on the first: the profile is archived
and restored, links a wallet, is merged with a person, has an account attested; a slash for money ends that it loses, and one for score.
--rounds turns of all of them, each with another wallet, person and account. Votes of others arrive at half the rate that they reach alone,
before each act and beside it and what it leaves to be counted: as many pairs of each act, of which the median of the ratios is told. Bars: each act
is answered within 1 s, and p99 of the votes is within 1.5 times. Whether a slash has ended is looked for once a second, so its bar is 2 s
from its end. One turn on the second cast, and the server is killed (SIGKILL) while what each act left is counted. The third
cast has as many turns by events of a local chain, and one kill; an act is answered there when its block is stored.

Each of these three is one of --parts: `acts`, `kills`, `events`; --acts names one of the acts.

Behind each of these parts, when nothing is left to be counted, `score recompute --check` must find nothing, nor `verify` in the end.
"""
import datetime
import http.client
import json
import math
import os
import secrets
import statistics
import subprocess
import threading
import time

import chain
from processes import ROOT, helpers, say

SHARE, P99_MOST, ANSWERED_MOST_S = 0.5, 1.5, 1.0
MASSES = 1_000_000
PART = 10  # of the votes: as many reviews by a profile, of a wallet, of a person and of an account
VOUCHES = 256  # the most that an author may have
STRONG = 1800  # score of who loses and who votes on slashes: a vote on an activity weighs something, and one of theirs does, too
VOTERS = 3
SLASHED = 20  # points or promille that a slash is for: who loses them all may still accuse
LOOKED_FOR_EVERY_S = 1  # whether a slash has ended
BEFORE_ACT_S, SLASH_S = 0.2, 3
PATIENCE_S, ASKED_AGAIN_S, EVERY_S, EVERY_LOOK_S = 3600, 60, 0.01, 0.25
ORIGIN = "https://bench.example"
KINDS = "identity,slash"
PARTS = ("acts", "kills", "events")
ACTS = ("archive", "restore", "link", "merge", "attest", "slash for money", "slash for score")
FOLLOWED = ("profile", "attestation", "slash")
ACCUSED, ACCUSER, SLASH, ATTESTATION = 1, 2, 1, 1_000_000  # numbers on the chain; accounts of the API have ids behind the first of them
# Numbers of records lie behind all others, as those of money that ops/bench gives away do.
FIRST_NUMBER = 2_000_000_000_000


# -- who takes part ---------------------------------------------------------------------------

class Turn:
    """Whose records become those of a cast's profile in one turn of acts."""

    def __init__(self):
        self.key = "0x" + secrets.token_hex(32)
        self.wallet = json.loads(signed(self.key, "{address}"))["message"]
        self.person, self.account = "0x" + secrets.token_hex(20), str(10 ** 18 + secrets.randbelow(10 ** 17))

    def subjects(self):
        return f"address:{self.wallet.lower()}", f"address:{self.person}", f"service:x.com:{self.account}"


class Cast:
    """A profile, and what its turns are about."""

    def __init__(self, profile, turns, token=None):
        self.profile, self.token, self.turns = profile, token, [Turn() for _ in range(turns)]


def signed(key, text):
    return subprocess.run(["node", str(ROOT / "ops/chain/sign.mjs"), key], input=text, capture_output=True, text=True, check=True).stdout


def linking(cast, turn):
    """The body by which the wallet agrees to be the profile's."""
    now = datetime.datetime.now(datetime.timezone.utc)

    def moment(at):
        return at.strftime("%Y-%m-%dT%H:%M:%SZ")
    return signed(turn.key, f"{ORIGIN.split('//')[1]} wants you to sign in with your Ethereum account:\n{{address}}\n\nLink this address to profile {cast.profile}.\n\n"
                  f"URI: {ORIGIN}\nVersion: 1\nChain ID: 8453\nNonce: {secrets.token_hex(12)}\nIssued At: {moment(now)}\n"
                  f"Expiration Time: {moment(now + datetime.timedelta(minutes=5))}")


def strong_people(bench, count, failure):
    """(profile, token) of some who may accuse and vote, none of them among the voters of the load."""
    tokens = dict(line.rstrip("\n").split("\t") for line in open(bench.home / "hot.tsv"))
    taken = {line.split("\t")[0] for line in open(bench.home / "spread.tsv")}
    found = [str(each) for each in bench.query(
        "SELECT p.id FROM profiles p JOIN users u ON u.id = p.user_id JOIN epoch_scores e ON e.user_id = u.id"
        f" WHERE NOT p.archived AND p.source = 'api' AND least(u.score, e.score) >= {STRONG} ORDER BY least(u.score, e.score) DESC, p.id DESC")]
    found = [(int(each), tokens[each]) for each in found if each in tokens and each not in taken][:count]
    if len(found) < count:
        raise failure("masses: too few people have such a score")
    return found


def make_subjects(bench, casts, token):
    """By a first review of each. Returns their keys, in hex."""
    names = [each for cast in casts for turn in cast.turns for each in turn.subjects()]
    ids = [ask(bench, "POST", "/api/v2/reviews/create", token, {"subject": each, "score": "neutral", "comment": "x"})["id"] for each in names]
    return [bench.texts(f"SELECT encode(subject_key, 'hex') FROM reviews WHERE id = {each}")[0] for each in ids]


# -- what they have written -------------------------------------------------------------------

def unwatched(bench, sql):
    """Statements for which no trigger runs."""
    helpers('pg_sql "$1" postgres credence <<<"$2"', bench.home, "SET session_replication_role = replica; SET jit = off; SET work_mem = '256MB';" + sql)


REVIEWS = "INSERT INTO reviews (id, author_profile, subject_key, subject_generation, score, comment, metadata, created_at, updated_at, seq) "
HOW = "CASE i % 10 WHEN 0 THEN 0 WHEN 1 THEN 1 ELSE 2 END, 'x', '', now() - interval '2 days', now() - interval '2 days'"


def derive(reviews, votes):
    """What triggers would have derived from reviews behind `reviews` and votes behind `votes`: it is worked out for all at once, by the views
    that a recount uses."""
    return f"""
ANALYZE reviews; ANALYZE activity_votes;
INSERT INTO activities (kind, id, at, author_user, subject_key, subject_generation, archived)
  SELECT 'review', r.id, r.created_at, p.user_id, r.subject_key, r.subject_generation, r.archived FROM reviews r JOIN profiles p ON p.id = r.author_profile
  WHERE r.source = 'api' AND r.id > {reviews};
INSERT INTO activity_tallies (kind, target_id, up, down) SELECT kind, target_id, count(*) FILTER (WHERE upvote), count(*) FILTER (WHERE NOT upvote)
  FROM activity_votes WHERE source = 'api' AND number > {votes} GROUP BY kind, target_id;
UPDATE subjects s SET reviews_negative = s.reviews_negative + n.negative, reviews_neutral = s.reviews_neutral + n.neutral, reviews_positive = s.reviews_positive + n.positive
  FROM (SELECT subject_key, subject_generation, count(*) FILTER (WHERE score = 0) AS negative, count(*) FILTER (WHERE score = 1) AS neutral,
    count(*) FILTER (WHERE score = 2) AS positive FROM reviews WHERE source = 'api' AND id > {reviews} GROUP BY 1, 2) n
  WHERE s.key = n.subject_key AND s.generation = n.subject_generation;
UPDATE users u SET reviews_negative = n.negative, reviews_neutral = n.neutral, reviews_positive = n.positive
  FROM (SELECT user_id, sum(reviews_negative) AS negative, sum(reviews_neutral) AS neutral, sum(reviews_positive) AS positive FROM subjects GROUP BY user_id) n
  WHERE u.id = n.user_id AND (u.reviews_negative, u.reviews_neutral, u.reviews_positive) <> (n.negative, n.neutral, n.positive);
INSERT INTO score_reviews SELECT c.* FROM counted_reviews c JOIN reviews r ON r.id = c.review_id WHERE r.source = 'api' AND r.id > {reviews};
INSERT INTO score_votes SELECT * FROM counted_votes WHERE (kind, target_id, voter) IN (SELECT kind, target_id, voter FROM activity_votes WHERE source = 'api' AND number > {votes});
ANALYZE score_reviews; ANALYZE score_votes;
CREATE TEMP TABLE moved AS SELECT user_id FROM score_reviews WHERE review_id > {reviews} UNION SELECT user_id FROM score_votes WHERE kind = 'review' AND target_id > {reviews};
SELECT open_scores(ARRAY(SELECT user_id FROM moved), 'masses');
SELECT recount_sums(ARRAY(SELECT user_id FROM moved));
SELECT mark_influences(ARRAY(SELECT DISTINCT user_id FROM score_reviews WHERE review_id > {reviews} AND how = 2));"""


def fill(bench, casts, keys, masses):
    """Reviews and votes are written without their triggers, which takes minutes where the service would take hours, and what is derived from
    them behind them; `verify` and a recount say whether that is right. Vouches are few: they are written as the service writes them."""
    part, profiles = masses // PART, ",".join(str(cast.profile) for cast in casts)
    named = ",".join(f"({at}, '{key}')" for at, key in enumerate(keys))
    bench.texts(
        "SET jit = off; CREATE TABLE masses_people AS SELECT row_number() OVER (ORDER BY p.id)::int - 1 AS n, p.id AS profile, p.user_id, a.address AS key"
        "  FROM profiles p JOIN addresses a ON a.user_id = p.user_id AND a.kind = 'primary'"
        f"  WHERE NOT p.archived AND NOT p.orphaned AND p.source = 'api' AND p.id NOT IN ({profiles});"
        "INSERT INTO subjects (key, generation, user_id) SELECT key, 0, user_id FROM masses_people m WHERE NOT EXISTS (SELECT FROM subjects s WHERE s.key = m.key);"
        "ALTER TABLE masses_people ADD generation int; UPDATE masses_people m SET generation = (SELECT max(generation) FROM subjects s WHERE s.key = m.key);"
        "ALTER TABLE masses_people ADD PRIMARY KEY (n); CREATE TABLE masses_keys (n int PRIMARY KEY, key bytea);"
        f"INSERT INTO masses_keys SELECT n, decode(key, 'hex') FROM (VALUES {named}) k (n, key); ANALYZE masses_people, masses_keys, subjects")
    people, reviews, votes, vouches = (bench.query(f"SELECT coalesce(max({column}), {least}) FROM {table} WHERE {where}")[0] for table, column, least, where in (
        ("masses_people", "n + 1", 0, "true"), ("reviews", "id", 0, "source = 'api'"), ("activity_votes", "number", 0, "source = 'api'"),
        ("vouches", "number", 0, "contract = 'api'")))
    of_casts = part * len(keys)  # a tenth each; those behind them are about people
    first_ones = max(masses, of_casts)
    unwatched(bench, REVIEWS + f"SELECT {reviews} + i, a.profile, coalesce(k.key, s.key), CASE WHEN k.key IS NULL THEN s.generation ELSE 0 END, {HOW}, {FIRST_NUMBER} + {reviews} + i"
              f" FROM generate_series(1, {first_ones}) i JOIN masses_people a ON a.n = i % {people} JOIN masses_people s ON s.n = (i + 1) % {people}"
              f" LEFT JOIN masses_keys k ON k.n = (i - 1) / {part} AND i <= {of_casts}")
    for at, cast in enumerate(casts):
        before = reviews + first_ones + at * part
        unwatched(bench, REVIEWS + f"SELECT {before} + i, {cast.profile}, s.key, s.generation, {HOW}, {FIRST_NUMBER} + {before} + i"
                  f" FROM generate_series(1, {part}) i JOIN masses_people s ON s.n = i % {people}")
        unwatched(bench, "INSERT INTO activity_votes (kind, target_id, voter, number, upvote, created_at, updated_at)"
                  f" SELECT 'review', {reviews} + i, {cast.profile}, {votes} + {at * masses} + i, i % 3 <> 0, now() - interval '2 days', now() - interval '2 days'"
                  f" FROM generate_series(1, {masses}) i")
    unwatched(bench, derive(reviews, votes))
    for cast in casts:
        count = bench.query("WITH made AS (INSERT INTO vouches (contract, number, author_profile, subject_key, subject_generation, token, staked, deposited, balance, comment,"
            f"  metadata, vouched_at, seq) SELECT 'api', {vouches} + row_number() OVER (ORDER BY m.n), {cast.profile}, m.key, m.generation, 'eth', 1000, 1000, 1000, '', '',"
            f"  now() - interval '200 days', {FIRST_NUMBER} * 2 + {vouches} + row_number() OVER (ORDER BY m.n) FROM masses_people m WHERE NOT EXISTS (SELECT FROM vouches v"
            f"  WHERE v.author_profile = {cast.profile} AND v.subject_key = m.key AND NOT v.archived) ORDER BY m.n LIMIT {min(part, VOUCHES)} RETURNING number) SELECT count(*) FROM made")[0]
        bench.texts(f"SELECT put_vouch_parts('api', number, ARRAY[day - date '1970-01-01'], ARRAY[balance]) FROM vouches, (SELECT (now() - interval '200 days')::date AS day) d"
                    f" WHERE contract = 'api' AND number > {vouches}")
        vouches += count
    bench.texts("DROP TABLE masses_people, masses_keys")
    bench.texts("VACUUM (ANALYZE) users, subjects, reviews, vouches, vouch_parts, activity_votes, activity_tallies, activities, score_inputs, score_dirty, score_reviews,"
                " score_votes, score_vouches, score_pairs, influence_due, recounts_due")
    helpers('pg_sql "$1" postgres postgres <<<CHECKPOINT', bench.home)
    os.sync()  # as when the bench's own data are loaded


# -- checks -----------------------------------------------------------------------------------

def broken_promises(bench):
    """What `verify` finds broken, by name."""
    done = subprocess.run([str(bench.program), "verify", "--json", "--quiet"], env={**os.environ, **bench.owner_env}, cwd="/", stdout=subprocess.PIPE, text=True)
    return {each["name"]: each["examples"] for each in json.loads(done.stdout)["promises"] if each["differences"]}


class Checks:
    """What is stored is right. Some of what ops/bench writes into its database itself breaks promises; no other may be broken."""

    def __init__(self, bench, failure):
        self.bench, self.failure, self.before = bench, failure, broken_promises(bench)

    def scores(self, when):
        say(f"  masses   checking {when}")
        self.bench.credence("score", "recompute", "--check")

    def everything(self, when):
        self.scores(when)
        more = {name: examples for name, examples in broken_promises(self.bench).items() if name not in self.before}
        if more:
            raise self.failure(f"masses: {when} `verify` finds {more}")


def left(bench):
    """Changes of which something is left to be counted, and users whose score is to be worked out."""
    return tuple(map(int, bench.texts("SELECT (SELECT count(*) FROM recounts_due), (SELECT count(*) FROM score_dirty)")[0].split("|")))


def counted(bench, failure):
    """Seconds until nothing is left."""
    began = time.monotonic()
    while any(left(bench)):
        if time.monotonic() > began + PATIENCE_S:
            raise failure(f"masses: {left(bench)} is left to be counted after {PATIENCE_S} s")
        time.sleep(EVERY_LOOK_S)
    return time.monotonic() - began


# -- acts -------------------------------------------------------------------------------------

class Refused(Exception):
    pass


def ask(bench, method, path, token, body):
    """The answer's body, which must be good. Where the outcome is not known it is asked again, as clients do."""
    at_console = path.startswith("/admin/")
    content = body if body is None or isinstance(body, str) else json.dumps(body)
    fields = {"Authorization": f"Bearer {token}", "X-Service-Client": "masses@1", **({"Content-Type": "application/json"} if content else {}),
              **({} if at_console else {"Idempotency-Key": secrets.token_hex(16)})}
    until = time.monotonic() + ASKED_AGAIN_S
    while True:
        link = http.client.HTTPConnection("127.0.0.1", bench.ours.ready["admin_port"] if at_console else bench.ours.port, timeout=60)
        try:
            link.request(method, path, content, fields)
            answer = link.getresponse()
            told = answer.read()
        finally:
            link.close()
        if answer.status == 200:
            return json.loads(told)
        if answer.status != 503 or time.monotonic() > until:
            raise Refused(f"{method} {path}: {answer.status} {told[:300].decode(errors='replace')}")
        time.sleep(EVERY_S)


class Act:
    """`prepare` comes before the load, `do` beside it; it returns the seconds until the act is answered. `holds`: a condition in SQL that
    shows that it was done."""

    def __init__(self, name, prepare, do, holds, most_s=ANSWERED_MOST_S):
        self.name, self.prepare, self.do, self.holds, self.most_s = name, prepare, do, holds, most_s


def answered(bench, path, body, token):
    """Seconds until a request is answered with 200."""
    began = time.monotonic()
    ask(bench, "POST", path, token, body)
    return time.monotonic() - began


def request(bench, name, holds, path, body=None, token=None):
    """`body` may be a function that makes it."""
    made = {}

    def prepare():
        made["body"] = body() if callable(body) else body
    return Act(name, prepare, lambda: answered(bench, path, made["body"], token or bench.admin), holds)


def closed(bench, slash, since):
    """Seconds from `since`, in Unix time, until the slash is closed."""
    while time.time() < since + PATIENCE_S:
        told = json.loads(bench.get(f"/api/v2/slashes/{slash}"))
        if told["status"] == "closed":
            return time.time() - since, told["outcome"]
        time.sleep(EVERY_S)
    raise Refused(f"slash {slash} does not close")


def slash(bench, tokens, name, author, subject, kind):
    """Its author loses it: it ends while votes come in, and was decided before. Nobody but who was slashed has to be left alone for days."""
    made = {}

    def prepare():
        lasts = math.ceil(bench.args.warmup + SLASH_S)
        made.update(ask(bench, "POST", "/api/v2/slashes", bench.admin, {
            "authorProfileId": author, "subject": f"profileId:{subject}", "slashType": kind, "amount": SLASHED, "duration": lasts, "comment": "x"}))
        for token in tokens:
            ask(bench, "POST", f"/api/v2/slashes/{made['id']}/votes", token, {"vote": "defend"})

    def do():
        time.sleep(max(0.0, made["closesAt"] - time.time()))
        took, told = closed(bench, made["id"], made["closesAt"])
        if told != "DEFENDED":
            raise Refused(f"slash {made['id']} has the outcome {told}")
        return took
    return Act(name, prepare, do, lambda: f"SELECT outcome = 'DEFENDED' FROM slashes WHERE id = {made['id']}", ANSWERED_MOST_S + LOOKED_FOR_EVERY_S)


def acts_of(bench, cast, turn, judges, other):
    """`other`: whom the cast accuses, and is defended by all who vote."""
    who = cast.profile
    of_user = f"= (SELECT user_id FROM profiles WHERE id = {who})"
    tokens = [token for _, token in judges]

    def status(name):
        return lambda: f"SELECT archived = {name} FROM profiles WHERE id = {who}"

    def owned(address):
        return lambda: f"SELECT user_id {of_user} FROM addresses WHERE address = decode('{address[2:]}', 'hex')"
    return [
        request(bench, "archive", status("true"), f"/api/v2/profiles/{who}/archive"),
        request(bench, "restore", status("false"), f"/api/v2/profiles/{who}/restore"),
        request(bench, "link", owned(turn.wallet), "/api/v2/addresses/link", lambda: linking(cast, turn), cast.token),
        request(bench, "merge", owned(turn.person), f"/admin/api/v1/people/{who}/merge", {"userkey": f"address:{turn.person}", "confirm": str(who)}),
        request(bench, "attest", lambda: f"SELECT user_id {of_user} FROM attestations WHERE service = 'x.com' AND account = '{turn.account}' AND NOT archived",
                "/api/v2/attestations/create", {"profileId": who, "service": "x.com", "account": turn.account, "evidence": "a post"}),
        slash(bench, tokens, "slash for money", who, other, "FINANCIAL"), slash(bench, tokens, "slash for score", who, other, "SCORE")]


# -- on a chain -------------------------------------------------------------------------------

class Chain(chain.Node):
    """anvil whose contracts emit what they are told to."""

    def __init__(self, log, failure):
        self.code = self.told("contracts.mjs", "code").strip()
        self.at = dict(each.split("=") for each in self.told("contracts.mjs").strip().split(","))
        super().__init__(log, failure)
        for where in self.at.values():
            self.ask("anvil_setCode", where, self.code)

    @staticmethod
    def told(name, *words, text=None):
        return subprocess.run(["node", str(ROOT / "ops/chain" / name), *words], input=text, capture_output=True, text=True, check=True).stdout

    def inputs(self, *events):
        return [line.split() for line in self.told("events.mjs", text=json.dumps(events)).splitlines()]

    def emit(self, to, data):
        """The block that has it."""
        sent = self.ask("eth_sendTransaction", {"from": chain.WALLET, "to": to, "gas": hex(8_000_000), "data": data})
        while not (receipt := self.ask("eth_getTransactionReceipt", sent)):  # its block is made a little later
            time.sleep(EVERY_S)
        return int(receipt["blockNumber"], 16)

    def flags(self):
        return ["--chain-endpoints", f"http://127.0.0.1:{self.port}", "--chain-id", "31337", "--chain-start-block", "1", "--chain-confirmations", "0",
                "--chain-authority", "0", "--chain-contracts", ",".join(f"{name}={self.at[name]}" for name in FOLLOWED), "--chain-kinds", KINDS,
                "--chain-id-offset", str(chain.ID_OFFSET), "--chain-poll", "100", "--chain-timeout", "60000"]


def stored(bench, block, began):
    """Seconds from `began` until that block is."""
    while time.monotonic() < began + PATIENCE_S:
        tip = json.loads(bench.get("/api/v2/chain/status")).get("tip")
        if tip and tip["number"] >= block:
            return time.monotonic() - began
        time.sleep(EVERY_S)
    raise Refused(f"block {block} is not stored")


def event(bench, node, name, holds, contract, kind, args):
    made = {}

    def prepare():
        made["input"] = node.inputs([contract, kind, args])[0]

    def do():
        began = time.monotonic()
        return stored(bench, node.emit(*made["input"]), began)
    return Act(name, prepare, do, holds)


def slash_by_events(bench, node, cast, tokens, at):
    """Its end is moved when all have voted; the block that ends it comes beside the load."""
    number, made = chain.ID_OFFSET + SLASH + at, {}

    def tell(kind, args):
        stored(bench, node.emit(*node.inputs(["slash", kind, {"id": SLASH + at, **args}])[0]), time.monotonic())

    def prepare():
        begins = int(node.ask("eth_getBlockByNumber", "latest", False)["timestamp"], 16) + 1
        tell("SlashCreated", {"createdAt": begins, "duration": 86_400, "subject": cast.owner, "attestationHash": "0x" + "00" * 32, "authorProfileId": ACCUSER,
                              "cancelledAt": 0, "amount": SLASHED, "slashType": 0, "comment": "x", "metadata": ""})
        for token in tokens:
            ask(bench, "PUT", "/api/v2/votes", token, {"type": "slash", "id": number, "isUpvote": True})
        made["ends"] = math.ceil(time.time() + bench.args.warmup + SLASH_S)
        tell("SlashExtended", {"newDuration": made["ends"] - begins})

    def do():
        time.sleep(max(0.0, made["ends"] + 1 - time.time()))
        began = time.time()
        node.ask("evm_mine")
        took, told = closed(bench, number, began)
        if told != "SLASHED":
            raise Refused(f"slash {number} has the outcome {told}")
        return took
    return Act("slash for score", prepare, do, lambda: f"SELECT outcome = 'SLASHED' FROM slashes WHERE id = {number}")


def events_of(bench, node, cast, at, judges):
    turn, number = cast.turns[at], cast.profile - chain.ID_OFFSET
    of_user = f"= (SELECT user_id FROM profiles WHERE id = {cast.profile})"

    def status(name):
        return lambda: f"SELECT archived = {name} FROM profiles WHERE id = {cast.profile}"

    def owned(address):
        return lambda: f"SELECT user_id {of_user} FROM addresses WHERE address = decode('{address[2:]}', 'hex')"

    def claim(name, address):
        return event(bench, node, name, owned(address), "profile", "AddressClaim", {"profileId": number, "addr": address, "claim": 1})
    return [
        event(bench, node, "archive", status("true"), "profile", "ProfileArchived", {"profileId": number}),
        event(bench, node, "restore", status("false"), "profile", "ProfileRestored", {"profileId": number}),
        claim("link", turn.wallet), claim("merge", turn.person),
        event(bench, node, "attest", lambda: f"SELECT user_id {of_user} FROM attestations WHERE service = 'x.com' AND account = '{turn.account}' AND NOT archived",
              "attestation", "AttestationCreated", {"profileId": number, "service": "x.com", "account": turn.account, "evidence": "a post", "attestationId": ATTESTATION + at}),
        slash_by_events(bench, node, cast, [token for _, token in judges], at)]


def join_on_chain(bench, node, turns, failure):
    """The third cast: somebody whom events made, and who has the score of the others."""
    cast = Cast(chain.ID_OFFSET + ACCUSED, turns)
    cast.owner = "0x" + secrets.token_hex(20)
    for to, data in node.inputs(["profile", "ProfileCreated", {"profileId": ACCUSED, "addr": cast.owner}],
                                ["profile", "ProfileCreated", {"profileId": ACCUSER, "addr": "0x" + secrets.token_hex(20)}]):
        block = node.emit(to, data)
    stored(bench, block, time.monotonic())
    if bench.query(f"SELECT count(*) FROM profiles WHERE id > {chain.ID_OFFSET}") != [2]:
        raise failure("masses: two people joined on the chain, and are not there")
    return cast


# -- measuring --------------------------------------------------------------------------------

class Beside(threading.Thread):
    """Does an act some seconds from now."""

    def __init__(self, act, later):
        super().__init__(daemon=True)
        self.act, self.later, self.took, self.error = act, later, None, None
        self.start()

    def run(self):
        time.sleep(self.later)
        try:
            self.took = self.act.do()
        except Exception as why:  # told by result()
            self.error = why

    def result(self, failure):
        self.join()
        if self.error:
            raise failure(f"masses: {self.act.name}: {self.error}")
        return self.took


def is_done(bench, act, failure):
    if bench.texts(act.holds()) != ["t"]:
        raise failure(f"masses: {act.name} was answered, and is not done")


def beside_votes(bench, turns, rate, failure):
    """`turns`: the acts of each. One row for each act of a turn."""
    connections, rows = bench.args.connections[0], []
    for act in (act for acts in turns for act in acts):
        helpers('pg_sql "$1" postgres postgres <<<CHECKPOINT', bench.home)  # what the act before has written is not this one's
        alone = bench.run("votes", bench.ours, connections, rate)["latency_ms"]["p99"]
        act.prepare()
        doing = Beside(act, bench.args.warmup + BEFORE_ACT_S)
        beside = bench.run("votes", bench.ours, connections, rate)["latency_ms"]["p99"]
        took, rest = doing.result(failure), left(bench)
        is_done(bench, act, failure)
        rows.append({"act": act.name, "answered_s": took, "most_s": act.most_s, "alone": alone, "beside": beside, "left": rest, "counted_s": counted(bench, failure)})
        say(f"  masses   {act.name}: answered in {took:.3f} s; p99 {beside:.2f} ms, {alone:.2f} alone; counted {rows[-1]['counted_s']:.1f} s later")
    return rows


def kill(bench):
    bench.ours.process.kill()
    bench.ours.process.wait()
    bench.servers.remove(bench.ours)
    bench.start_service()


def through_kills(bench, acts, failure):
    """Each is answered, and then the server is killed; `left` is what it had not counted."""
    rows = []
    for act in acts:
        act.prepare()
        took = act.do()
        kill(bench)
        is_done(bench, act, failure)
        rows.append({"act": act.name, "answered_s": took, "most_s": act.most_s, "left": left(bench)})
        say(f"  masses   {act.name}, and killed: answered in {took:.3f} s; {rows[-1]['left'][0]} changes are not counted yet")
    return {"acts": rows, "counted_s": counted(bench, failure)}


def give_score(bench, cast):
    """To somebody who has just joined."""
    bench.texts(f"BEGIN; UPDATE users SET score = {STRONG} WHERE id = (SELECT user_id FROM profiles WHERE id = {cast.profile});"
                f"UPDATE score_inputs SET starting = {STRONG} WHERE user_id = (SELECT user_id FROM profiles WHERE id = {cast.profile});"
                f"INSERT INTO epoch_scores SELECT user_id, {STRONG}, (SELECT max(day) FROM score_epochs) FROM profiles WHERE id = {cast.profile};"
                f"INSERT INTO score_dirty (user_id, cause) SELECT user_id, 'given' FROM profiles WHERE id = {cast.profile} ON CONFLICT DO NOTHING; COMMIT")


def measure(bench, failure):
    """Returns {"text": what to print, ...}; `bench` is ready to serve."""
    try:
        result = go_through(bench, failure)
    except Refused as why:
        raise failure(f"masses: {why}") from None
    return {**result, "text": describe(result)}


def go_through(bench, failure):
    masses, connections, plain = bench.args.masses, bench.args.connections[0], list(bench.args.serve)
    turns = bench.args.rounds
    bench.open_period()
    bench.warm("spread.tsv")
    rate = SHARE * bench.run("votes", bench.ours, connections)["rps"]
    checks = Checks(bench, failure)
    (first, second, other, *voters) = strong_people(bench, 3 + VOTERS, failure)
    node = Chain(bench.home / "anvil.log", failure)
    parts, wanted = bench.args.parts or PARTS, bench.args.acts or ACTS

    def named(acts):
        return [act for act in acts if act.name in wanted]
    out = {}
    try:
        followed = [*plain, *node.flags()]
        bench.args.serve = followed
        bench.restart_service()
        third = join_on_chain(bench, node, turns, failure)
        bench.args.serve = [*plain, "--auth-origin", ORIGIN]
        bench.restart_service()
        by_part = {"acts": Cast(first[0], turns, first[1]), "kills": Cast(second[0], 1, second[1]), "events": third}
        casts = [by_part[part] for part in PARTS if part in parts]
        keys = make_subjects(bench, casts, other[1])
        bench.ours.stop()
        bench.servers.remove(bench.ours)
        say(f"  masses   writing {len(casts)} times {masses} votes and what goes with them")
        began = time.monotonic()
        give_score(bench, third)
        fill(bench, casts, keys, masses)
        filled = time.monotonic() - began
        bench.start_service()
        say(f"  masses   written in {filled:.0f} s, scores worked out {counted(bench, failure):.0f} s later")
        checks.everything("after writing")
        if "acts" in parts:
            bench.warm("spread.tsv")
            cast = by_part["acts"]
            out["acts"] = beside_votes(bench, [named(acts_of(bench, cast, turn, voters, other[0])) for turn in cast.turns], rate, failure)
            checks.scores("after the acts")
        if "kills" in parts:
            cast = by_part["kills"]
            out["killed"] = through_kills(bench, named(acts_of(bench, cast, cast.turns[0], voters, other[0])), failure)
            checks.scores("after the kills")
        if "events" in parts:
            bench.args.serve = followed
            bench.restart_service()
            bench.warm("spread.tsv")
            events = [named(events_of(bench, node, third, at, voters)) for at in range(turns)]
            out["events"] = beside_votes(bench, events, rate, failure)
            checks.scores("after the events")
            out["killed_events"] = through_kills(bench, events[0][:1], failure)
        checks.everything("in the end")
    finally:
        node.stop()
        bench.args.serve = plain
    return {"masses": masses, "rate": rate, "filled_s": filled, **out}


def verdict(met):
    return "met" if met else "MISSED"


def describe(result):
    def in_time(rows):
        return verdict(all(row["answered_s"] <= row["most_s"] for row in rows))

    def beside(name, rows):
        """Medians of an act's turns, and the slowest answer."""
        ratios = sorted(row["beside"] / max(row["alone"], 1e-9) for row in rows)
        beside, alone, ratio = (statistics.median(each) for each in ([row["beside"] for row in rows], [row["alone"] for row in rows], ratios))
        return (f"  {name}: answered in {max(row['answered_s'] for row in rows):.3f} s at most (bar <= {rows[0]['most_s']:g}): {in_time(rows)}; p99 of votes {beside:.2f} ms against "
                f"{alone:.2f} alone, {ratio:.2f} times ({ratios[0]:.2f}..{ratios[-1]:.2f}, {len(rows)} pairs, bar <= {P99_MOST}): {verdict(ratio <= P99_MOST)}; "
                f"counted {max(row['counted_s'] for row in rows):.1f} s after them at most")

    def each_act(rows):
        return [beside(name, [row for row in rows if row["act"] == name]) for name in dict.fromkeys(row["act"] for row in rows)]

    def through(killed):
        rows = killed["acts"]
        each = ", ".join(f"{row['act']} {row['answered_s']:.3f}" for row in rows)
        broken = sum(row["left"][0] > 0 for row in rows)
        return (f"answered in {each} s: {in_time(rows)}; each is done after kill -9; of {len(rows)} kills "
                f"{broken} came while the act was not counted yet; all is counted {killed['counted_s']:.1f} s after the last, and right")
    lines = [f"masses: {result['masses']} votes of a profile, {result['masses'] // PART} reviews of a wallet; {result['rate']:.0f} votes/s of others"]
    if "acts" in result:
        lines += [*each_act(result["acts"]), "  scores are right when all is counted"]
    if "killed" in result:
        lines += [f"  the same through kills: {through(result['killed'])}"]
    if "events" in result:
        lines += ["  by events of a chain:", *each_act(result["events"]), f"  through a kill: {through(result['killed_events'])}"]
    return "\n".join(lines)

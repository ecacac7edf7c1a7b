// What a user of the package writes; packed.mjs compiles and runs it. A call that the reference does not have does not compile.
import { Credence, CredenceError } from "credence-client";
import type { Answer, Wallet } from "credence-client";
import { privateKeyToAccount } from "viem/accounts";

declare const process: { env: Record<string, string | undefined> };
const environment = (name: string): string => {
  const value = process.env[name];
  if (!value) throw new Error(`${name} must be set`);
  return value;
};
function check(what: unknown, promise: string): asserts what {
  if (!what) throw new Error(`it does not hold that ${promise}`);
}
async function refused(call: Promise<unknown>): Promise<CredenceError> {
  const said: unknown = await call.then(() => null, (why: unknown) => why);
  check(said instanceof CredenceError, `the call is refused, not ${String(said)}`);
  return said;
}

const account = privateKeyToAccount(environment("CREDENCE_WALLET_KEY") as `0x${string}`);
let signatures = 0;
const wallet: Wallet = {
  address: account.address.toLowerCase(), // the server tells the checksum
  sign: (message) => { signatures += 1; return account.signMessage({ message }); },
};
const receiverUserkey = environment("CREDENCE_TIP_RECEIVER");

/** What comes between this client and the server, once for each that is put here: an answer, or null for one that is lost on its way back. */
const faults: ((() => Response) | null)[] = [];
const sent: Headers[] = [];
const between: typeof fetch = async (input, init) => {
  sent.push(new Headers(init?.headers));
  check(init?.redirect === "manual", "credentials do not follow to another server");
  const fault = faults.shift();
  if (fault) return fault();
  const answer = await fetch(input, init);
  if (fault === null) throw new TypeError("fetch failed");
  return answer;
};
const about = { url: `${environment("CREDENCE_URL")}/`, origin: environment("CREDENCE_ORIGIN"), client: "packed@1.0", fetch: between };
const credence = new Credence({ ...about, wallet });

/** Lost answers, a busy server and a proxy's page are one act. */
async function sendsOnce(): Promise<void> {
  const before = await credence.sendTip({ body: { receiverUserkey, amount: 1 } });
  check(signatures === 1, "the first call that needs it signs in");
  sent.length = 0;
  const busy = (): Response => Response.json({ code: "RATE_LIMITED", message: "later" }, { status: 429, headers: { "Retry-After": "1" } });
  faults.push(null, busy, () => new Response("<h1>Bad gateway</h1>", { status: 502 }));
  const began = Date.now();
  const after = await credence.sendTip({ body: { receiverUserkey, amount: 2 } });
  check(sent.length === 4 && Date.now() - began >= 1000, `it was sent four times, as late as the server asked, not ${sent.length} times`);
  check(new Set(sent.map((each) => each.get("Idempotency-Key"))).size === 1 && sent[0]?.get("Idempotency-Key"), "with one key");
  check(sent.every((each) => each.get("X-Service-Client") === "packed@1.0"), "each says who calls");
  check(after.senderNewBalance === before.senderNewBalance - 2, "and was paid once");
  sent.length = 0;
  const atOnce = (): Response => new Response("", { status: 503, headers: { "Retry-After": "0" } });
  faults.push(atOnce, atOnce);
  const rested = Date.now();
  await credence.listTips({});
  check(sent.length === 3 && Date.now() - rested >= 300, "it rests also where it is told not to");
  for (const username of ["", ".", ".."]) {
    const why: unknown = await credence.getUserByUsername({ username }).then(() => null, (said: unknown) => said);
    check(why instanceof TypeError && sent.length === 3, "what would lead to another call is not sent");
  }
  const impatient = new Credence({ ...about, wallet, patience: 400 });
  await impatient.authenticate();
  faults.push(null, null, null, null, null, null, null, null);
  const lost = await refused(impatient.sendTip({ body: { receiverUserkey, amount: 3 } }));
  faults.length = 0;
  check(lost.status === 0 && lost.code === "NO_ANSWER" && lost.passes, `${lost}`);
  const known = await credence.sendTip({ body: { receiverUserkey, amount: 3 } }, { idempotencyKey: lost.idempotencyKey });
  check(known.senderNewBalance === after.senderNewBalance - 3, "whoever asks with its key learns what came of it");
  const far = (): Response => Response.json({ code: "TOO_MANY_RECORDS", message: "tomorrow" }, { status: 429, headers: { "Retry-After": "40000" } });
  faults.push(far);
  check((await refused(credence.sendTip({ body: { receiverUserkey, amount: 1 } }))).retryAfter === 40_000, "nobody waits until tomorrow");
}

/** A token that has ended is replaced, once for all who wait; a wrong request is not repeated. */
async function signsInAgain(): Promise<void> {
  const before = signatures;
  const stale = new Credence({ ...about, wallet, token: "ended" });
  const [one, two] = await Promise.all([stale.getVoteBalance(), stale.getVoteBalance({ projectId: 1 })]);
  check(typeof one.balance === "object" && typeof two.balance === "object", "both are answered");
  check(signatures === before + 1, `one signature for both, not ${signatures - before}`);
  const ended = new Credence({ ...about, token: "ended" });
  check((await refused(ended.getVoteBalance())).code === "UNAUTHORIZED", "without a wallet that is told");
  sent.length = 0;
  const wrong = await refused(credence.sendTip({ body: { receiverUserkey, amount: 0 } }));
  check(wrong.status === 400 && wrong.code === "INVALID_AMOUNT" && wrong.requestId && !wrong.passes && sent.length === 1, `${wrong}`);
  const stopped = AbortSignal.abort(new Error("enough"));
  const why: unknown = await credence.getHealth({}, { signal: stopped }).catch((each: unknown) => each);
  check(why instanceof Error && why.message === "enough", "whoever stops it is not told otherwise");
}

/** A server, or who stands before it, gets no signature under words of its own. */
async function signsForItselfAlone(): Promise<void> {
  const before = signatures;
  for (const said of [{ address: `0x${"11".repeat(20)}`, nonce: "12345678" }, { address: `${account.address}\n\nAnything`, nonce: "12345678" },
    { address: account.address, nonce: "12345678\nURI: https://elsewhere.example" }]) {
    faults.push(() => Response.json(said));
    const why: unknown = await new Credence({ ...about, wallet }).authenticate().then(() => null, (each: unknown) => each);
    check(why instanceof TypeError && why.message.startsWith("nothing is signed"), `nothing is signed, not ${String(why)}`);
  }
  check(signatures === before, "no message was signed");
}

async function reads(): Promise<void> {
  const ids = new Set<number>();
  for await (const tip of credence.each("listTips", { limit: 2 })) ids.add(tip.id);
  const all = await credence.listTips({ limit: 100 });
  check(ids.size === all.total && all.total > 2, `each of ${all.total} rows once, not ${ids.size}`);
  const listed = new Set<number>();
  for await (const project of credence.each("listProjects", { limit: 2 })) listed.add(project.id);
  check(listed.size === (await credence.listProjects()).total && listed.size > 0, "rows that are called otherwise");
  let done = 0;
  for await (const { type } of credence.each("listActivities", { body: { filter: ["review"], limit: 2 } })) done += type === "review" ? 1 : NaN;
  check(done === (await credence.listActivities({ body: { filter: ["review"] } })).total, "a list that is asked for by POST");
  const both = await credence.getVoteTotalsOfProfiles({ projectId: 1, profileIds: [1, 2] });
  check(Object.keys(both).length === 2, "a list in the query has a name for each");
  const replies = await credence.listRepliesById({ ids: [1, 2] });
  check(Object.keys(replies).length === 2, "or one text");
  const score: Answer<"getScoreOfUserkey"> = await credence.getScoreOfUserkey({ userkey: "profileId:1" });
  check(score.score > 0, "a parameter is written as the server reads it");
  const tried = await credence.sendTip({ dryRun: "true", body: { receiverUserkey, amount: 1 } });
  // @ts-expect-error a dry run has no number
  void tried.tipId;
  // @ts-expect-error there is no such side
  const side = await refused(credence.voteOnProject({ projectId: 1, body: { voteType: "SIDEWAYS" } }));
  check(side.status === 400 && side.issues.length > 0, `${side}`);
  // @ts-expect-error a project is named
  void (() => credence.getProject());
  // @ts-expect-error calls of version 1 are left out
  void (() => credence.listSlashesV1());
}

await sendsOnce();
await signsInAgain();
await signsForItselfAlone();
await reads();

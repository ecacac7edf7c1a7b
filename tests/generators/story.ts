// What the client of every generator does, whatever it calls that. Types of the generated code flow into `Client`: what it lacks does not
// compile.
import assert from "node:assert/strict";

const environment = (name: string): string => {
  const value = process.env[name];
  if (!value) throw new Error(`${name} must be set`);
  return value;
};

export const api = environment("CREDENCE_URL");
export const operators = environment("CREDENCE_ADMIN_URL");
export const name = "generated-client@1.0"; // X-Service-Client
export const admin = `Bearer ${environment("CREDENCE_ADMIN_TOKEN")}`;
export const voter = `Bearer ${environment("CREDENCE_TOKEN")}`;
const profileId = Number(environment("CREDENCE_PROFILE"));

type Side = "BULLISH" | "BEARISH";

/** The answer to a dry run. */
interface Tried { ok: boolean }

/** What the server said instead of a 2xx. */
export interface Refusal { status: number; code: string; message: string }

/** A refusal of the generated type, which must say by name what codes there are: one whose code is any text does not compile. */
export function refused<Body extends { code?: string; message: string }>(status: number, body: Body & (string extends Body["code"] ? never : unknown)): Refusal {
  return { status, code: body.code ?? "", message: body.message };
}

/** The calls, said as the generator has it. `admin` and `voter` above are who calls. */
export interface Client {
  /** openNextVotingPeriod, as the admin. */
  openPeriod(): Promise<{ message: string; usersAffected: number }>;
  /** listProjectVoters */
  voters(projectId: number, sentiment: "bullish" | "bearish", limit: number, offset: number):
    Promise<{ total: number; limit: number; offset: number; values: { user: { profileId: number | null } | null; bullishCount: number }[] }>;
  /** getVoteTotalsOfProfiles: an array in the query, one name for each. */
  totals(projectId: number, profileIds: number[]): Promise<Record<string, { totalBullishVotes: number }>>;
  /** listRepliesById: an array in the query, in one text. */
  replies(ids: number[]): Promise<Record<string, { content: string } | null>>;
  /** createReply to a review, as the voter. */
  reply(reviewId: number, content: string): Promise<{ id: number }>;
  /** createReview about an address, as the voter. */
  review(subject: string, score: "positive" | "negative"): Promise<{ id: number }>;
  /** voteOnProject, as the voter. */
  vote(projectId: number, voteType: Side): Promise<{ userVote: { voteType: Side } } | Tried | Refusal>;
  /** depositMoney, as the admin. */
  deposit(profile: number, amount: string, reference: string): Promise<{ balance: string } | Tried>;
  /** getMarketBalance, as the voter. */
  balance(): Promise<{ balance: string; available: string }>;
  /** getOverview of the console, as the admin. */
  overview(): Promise<{ ready: boolean; period: { year: number; closedAt: number | null } | null }>;
  /** getPerson of the console for a profile that is not there, as the admin. */
  nobody(profileId: number): Promise<Refusal>;
}

async function listsVoters(client: Client): Promise<void> {
  const first = await client.voters(1, "bullish", 1, 0);
  const second = await client.voters(1, "bullish", 1, 1);
  assert.ok(first.total > 1 && second.total === first.total, `${first.total} and ${second.total} voters`);
  assert.deepEqual([first.limit, first.offset, second.offset], [1, 0, 1]);
  assert.ok(first.values.length === 1 && first.values[0]!.bullishCount > 0);
  assert.notEqual(first.values[0]!.user?.profileId, second.values[0]!.user?.profileId);
}

async function votesOnce(client: Client): Promise<void> {
  await client.openPeriod();
  const receipt = await client.vote(1, "BULLISH");
  assert.ok("userVote" in receipt, JSON.stringify(receipt));
  assert.equal(receipt.userVote.voteType, "BULLISH");
  const again = await client.vote(1, "BEARISH");
  assert.ok("code" in again, JSON.stringify(again));
  assert.deepEqual([again.status, again.code], [400, "ALREADY_VOTED"]);
  const totals = await client.totals(1, [profileId, profileId + 1]);
  assert.deepEqual(Object.keys(totals).map(Number).sort(), [profileId, profileId + 1]);
  assert.equal(totals[profileId]!.totalBullishVotes, 1);
}

async function repliesTwice(client: Client): Promise<void> {
  const review = await client.review(`address:0x${Date.now().toString(16).padStart(40, "0")}`, "positive");
  const texts = ["one", "the other, with a comma & more"];
  const ids: number[] = [];
  for (const text of texts) ids.push((await client.reply(review.id, text)).id);
  const found = await client.replies(ids);
  assert.deepEqual(ids.map((id) => found[id]?.content), texts);
}

async function movesMoney(client: Client): Promise<void> {
  const before = BigInt((await client.balance()).balance);
  const amount = 10n ** 18n + 1n; // no number of JavaScript
  const receipt = await client.deposit(profileId, String(amount), `story ${Date.now()}`);
  assert.ok("balance" in receipt, JSON.stringify(receipt));
  assert.equal(BigInt(receipt.balance), before + amount);
  assert.equal((await client.balance()).available, receipt.balance);
}

async function operates(client: Client): Promise<void> {
  const overview = await client.overview();
  assert.equal(overview.ready, true);
  assert.equal(overview.period?.closedAt, null);
  const refused = await client.nobody(2147483647);
  assert.equal(refused.status, 404);
  assert.match(refused.code, /^[A-Z_]+$/);
}

/** Runs all of it; says so at the end. */
export async function run(generator: string, client: Client): Promise<void> {
  for (const part of [listsVoters, votesOnce, repliesTwice, movesMoney, operates]) await part(client);
  console.log(`${generator}: all is well`);
}

// A client of the API whose every call is checked by the types that openapi-typescript made of /openapi.json: it signs in with a wallet,
// makes an API key, votes and tips with it, and revokes it.
import assert from "node:assert/strict";
import createClient, { type Middleware } from "openapi-fetch";
import { privateKeyToAccount } from "viem/accounts";
import { createSiweMessage, generateSiweNonce } from "viem/siwe";
import type { components, paths } from "./api.js";

const environment = (name: string): string => {
  const value = process.env[name];
  if (!value) throw new Error(`${name} must be set`);
  return value;
};
const origin = environment("CREDENCE_ORIGIN");
const wallet = privateKeyToAccount(environment("CREDENCE_WALLET_KEY") as `0x${string}`);
const receiverUserkey = environment("CREDENCE_TIP_RECEIVER");

const client = createClient<paths>({ baseUrl: environment("CREDENCE_URL") });
const credential: { name: string; value: string } = { name: "X-Service-Client", value: "typed-client@1.0" };
const shown: Middleware = {
  onRequest({ request }) {
    request.headers.set("X-Service-Client", "typed-client@1.0");
    request.headers.set(credential.name, credential.value);
    return request;
  },
};
client.use(shown);

/** The answer, or an end with what the server said instead. */
function answered<Data>(what: string, came: { data?: Data; error?: unknown; response: Response }): Data {
  assert.ok(came.data !== undefined, `${what} answered ${came.response.status}: ${JSON.stringify(came.error)}`);
  return came.data;
}

async function signed(nonce: string, statement: string): Promise<{ message: string; signature: string }> {
  const message = createSiweMessage({
    domain: new URL(origin).host, address: wallet.address, uri: origin, version: "1", chainId: 8453, statement, nonce,
    issuedAt: new Date(), expirationTime: new Date(Date.now() + 5 * 60_000),
  });
  return { message, signature: await wallet.signMessage({ message }) };
}

async function signIn(): Promise<number> {
  const { nonce } = answered("nonce", await client.GET("/api/v2/auth/nonce", { params: { query: { address: wallet.address } } }));
  const body: components["schemas"]["SignedMessage"] = await signed(nonce, "Sign in.");
  const { accessToken, profileId } = answered("login", await client.POST("/api/v2/auth/login", { body }));
  [credential.name, credential.value] = ["Authorization", `Bearer ${accessToken}`];
  assert.equal(answered("whose", await client.GET("/api/v2/healthcheck/authenticated")).profileId, profileId);
  return profileId;
}

async function makeKey(): Promise<string> {
  const body = { address: wallet.address, name: "typed client", scopes: ["read" as const, "vote" as const, "tip" as const, "keys" as const],
                 ...await signed(generateSiweNonce(), "Make an API key.") };
  const { id, token } = answered("key", await client.POST("/api/v2/api-keys", { body }));
  [credential.name, credential.value] = ["X-Service-Api-Key", token];
  const keys = answered("keys", await client.GET("/api/v2/api-keys"));
  assert.ok(keys.some((key) => key.id === id), "the new key is not listed");
  return id;
}

async function vote(): Promise<void> {
  const { projects } = answered("listings", await client.GET("/api/v2/internal/listings", { params: { query: { limit: 50 } } }));
  for (const project of projects) {
    const path = { projectId: project.id };
    const came = await client.POST("/api/v2/projects/{projectId}/votes", { params: { path }, body: { voteType: "BULLISH", voteReason: "typed" } });
    if (came.error?.code === "ALREADY_VOTED") continue;
    const receipt = answered("vote", came);
    assert.ok("userVote" in receipt, "no dry run");
    assert.equal(receipt.userVote.voteType, "BULLISH");
    const again = await client.POST("/api/v2/projects/{projectId}/votes", { params: { path }, body: { voteType: "BEARISH" } });
    assert.equal(again.error?.code, "ALREADY_VOTED");
    return;
  }
  assert.fail("there is no project left to vote on");
}

async function tip(): Promise<void> {
  const body: components["schemas"]["TipOrder"] = { receiverUserkey, amount: 2, message: "typed" };
  const receipt = answered("tip", await client.POST("/api/v2/xp/tip", { body, params: { header: { "Idempotency-Key": `typed-${Date.now()}` } } }));
  assert.ok("tipId" in receipt, "no dry run");
  const sent = answered("tips", await client.GET("/api/v2/xp/tips/sent", { params: { query: { limit: 1 } } }));
  assert.equal(sent.values[0]?.id, receipt.tipId);
}

/** What the types must refuse; it is compiled and never called. */
export async function refused(): Promise<void> {
  // @ts-expect-error there is no such vote
  await client.POST("/api/v2/projects/{projectId}/votes", { params: { path: { projectId: 1 } }, body: { voteType: "SIDEWAYS" } });
  // @ts-expect-error the path needs its project
  await client.POST("/api/v2/projects/{projectId}/votes", { body: { voteType: "BULLISH" } });
  // @ts-expect-error there is no such path
  await client.GET("/api/v2/nothing", {});
}

const profileId = await signIn();
assert.ok(profileId > 0);
const key = await makeKey();
await vote();
await tip();
answered("revoked", await client.DELETE("/api/v2/api-keys/{id}", { params: { path: { id: key } } }));
const over = await client.GET("/api/v2/projects/votes/balance");
assert.equal(over.error?.code, "UNAUTHORIZED");
console.log("typed: all is well");

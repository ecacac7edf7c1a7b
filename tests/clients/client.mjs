// What a client of the API does with a wallet, whichever library its wallet comes from:
// signs in, makes API keys, uses one, and revokes it. Checks every answer.
import assert from "node:assert/strict";
import { inspect } from "node:util";

const environment = (name) => {
  const value = process.env[name];
  if (!value) throw new Error(`${name} must be set`);
  return value;
};

/** Address of the server, as this process reaches it. */
const url = environment("CREDENCE_URL");
/** Origin that signed messages name. */
export const origin = environment("CREDENCE_ORIGIN");
/** Private key of a wallet whose profile may have API keys, 0x and 64 hexadecimal digits. */
export const privateKey = environment("CREDENCE_WALLET_KEY");
/** Userkey of another profile, for a tip. */
const receiver = environment("CREDENCE_TIP_RECEIVER");

/** Name and version of this client, for `X-Service-Client`. */
let clientName = "";

/** Sends a request; what came back, its body read as JSON. */
async function ask(method, path, { body, headers = {}, expect = 200, code } = {}) {
  const answer = await fetch(url + path, {
    method,
    headers: { "X-Service-Client": clientName, ...(body && { "Content-Type": "application/json" }), ...headers },
    body: body && JSON.stringify(body),
  });
  const text = await answer.text();
  const what = `${method} ${path} answered ${answer.status}: ${text}`;
  assert.equal(answer.status, expect, `${what}, not ${expect}`);
  const json = JSON.parse(text);
  if (code) assert.equal(json.code, code, what);
  return { json, headers: answer.headers, what };
}

const withKey = (token) => ({ "X-Service-Api-Key": token });

/** Times of a message that is good for five minutes. */
const lifetime = () => ({ issuedAt: new Date(), expirationTime: new Date(Date.now() + 5 * 60_000) });

async function freshNonce() {
  const { json, what } = await ask("GET", "/api/v2/auth/nonce");
  assert.match(json.nonce, /^[a-zA-Z0-9]{8,}$/, what);
  return json.nonce;
}

async function signsIn(wallet) {
  const message = await wallet.makeMessage({ statement: "Sign in.", nonce: await freshNonce(), ...lifetime() });
  const body = { message, signature: await wallet.signMessage(message) };
  const { json, headers, what } = await ask("POST", "/api/v2/auth/login", { body });
  assert.ok(Number.isInteger(json.profileId) && new Date(json.expiresAt) > new Date(), what);
  const cookies = headers.get("set-cookie") ?? "";
  for (const cookie of ["service-access-token=", "service-refresh-token="])
    assert.ok(cookies.includes(cookie), `a cookie ${cookie}… is missing in: ${cookies}`);
  await ask("GET", "/api/v2/projects/votes/balance", { headers: { Authorization: `Bearer ${json.accessToken}` } });
  await ask("POST", "/api/v2/auth/login", { body, expect: 400, code: "NONCE_REUSED" });
  const other = { statement: "Sign in.", nonce: wallet.makeNonce(), ...lifetime() };
  const elsewhere = await wallet.makeMessage(other); // its nonce is not of this service
  await ask("POST", "/api/v2/auth/login", {
    body: { message: elsewhere, signature: await wallet.signMessage(elsewhere) }, expect: 400, code: "INVALID_MESSAGE",
  });
  return json.profileId;
}

async function makesKey(wallet, profileId, name, fields) {
  const message = await wallet.makeMessage({ nonce: wallet.makeNonce(), ...lifetime(), ...fields });
  const body = { address: wallet.address, message, signature: await wallet.signMessage(message), name };
  const { json: key, what } = await ask("POST", "/api/v2/api-keys", { body });
  assert.deepEqual(Object.keys(key).sort(), ["expiresAt", "id", "name", "token"], what);
  assert.equal(key.name, name, what);
  await ask("POST", "/api/v2/api-keys", { body, expect: 400, code: "NONCE_REUSED" });
  await ask("POST", "/api/v2/api-keys", { body: { ...body, message: message.replace("Nonce: ", "Nonce: 0") },
                                          expect: 400, code: "INVALID_SIGNATURE" });

  const { json: keys, what: list } = await ask("GET", "/api/v2/api-keys", { headers: withKey(key.token) });
  const listed = keys.find(({ id }) => id === key.id);
  assert.ok(listed, `the new key ${key.id} is not in ${list}`);
  assert.deepEqual({ ...listed, createdAt: 0, lastUsedAt: 0 },
                   { address: wallet.address, createdAt: 0, expiresAt: key.expiresAt, id: key.id, lastUsedAt: 0, name, profileId });
  return key;
}

async function usesKey(token) {
  const headers = withKey(token);
  const { json: balance, what } = await ask("GET", "/api/v2/projects/votes/balance?projectId=1", { headers });
  assert.equal(typeof balance.balance.canVote, "boolean", what);
  const tip = (amount, more) => ask("POST", "/api/v2/xp/tip", { headers, body: { receiverUserkey: receiver, amount }, ...more });
  const first = await tip(3);
  const second = await tip(2);
  assert.equal(second.json.senderNewBalance, first.json.senderNewBalance - 2, second.what);
  assert.ok(second.json.tipId > first.json.tipId, second.what);
  await tip(0, { expect: 400, code: "INVALID_AMOUNT" });
}

async function revokesKey(key) {
  const headers = withKey(key.token);
  const { json } = await ask("DELETE", `/api/v2/api-keys/${key.id}`, { headers });
  assert.deepEqual(json, { ok: true });
  await ask("GET", "/api/v2/projects/votes/balance", { headers, expect: 401 });
  await ask("GET", "/api/v2/api-keys", { headers, expect: 401 });
}

/**
 * Runs all of it; ends the process with 1 when an answer is not as it should be.
 * `wallet` has `library`, `address`, `makeNonce()`, `makeMessage(fields)`, which resolves to the text of an
 * EIP-4361 message, and `signMessage(text)`.
 */
export async function run(wallet) {
  try {
    clientName = `${wallet.library}@1.0.0`;
    const profileId = await signsIn(wallet);
    for (const [name, fields] of Object.entries({
      plain: { statement: "Create an API key." },
      "in other words": { statement: "Generate a new key for the bot" },
      "with everything": {
        statement: "Create an API key: it's for me, you & others (100 of them); a/b?c=d#e [x] @y $1.00!",
        scheme: new URL(origin).protocol.slice(0, -1),
        notBefore: new Date(Date.now() - 60_000),
        requestId: "a-request:1",
        resources: ["https://example.com/terms?version=2#all", "ipfs://bafybeiemxf5abjwjbikoz4mc3a3dla6ual3jsgpdr4cjr3oz3evfyavhwq/"],
      },
      "with no resources": { statement: "Create an API key.", resources: [] },
    })) {
      const key = await makesKey(wallet, profileId, name, fields);
      await usesKey(key.token);
      await revokesKey(key);
    }
    console.log(`${wallet.library}: all is well`);
  } catch (error) {
    console.error(`${wallet.library}: ${error?.message ?? inspect(error)}`);
    process.exitCode = 1;
  }
}

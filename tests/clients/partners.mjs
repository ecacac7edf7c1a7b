// A partner's page (docs/partners/) in Chromium: on an origin that is listed it signs a user in and acts, on another one it is
// refused, and where the browser keeps no cookies of other sites it acts with a token.
import assert from "node:assert/strict";
import { createServer, request } from "node:http";
import { readFile } from "node:fs/promises";
import { chromium } from "playwright-core";
import { launch } from "../chromium.mjs";
import { privateKeyToAccount } from "viem/accounts";

const environment = (name) => {
  const value = process.env[name];
  if (!value) throw new Error(`${name} must be set`);
  return value;
};
const service = environment("CREDENCE_URL"); // as its public_url has it
const token = environment("CREDENCE_TOKEN"); // of the user, made just now
const account = privateKeyToAccount(environment("CREDENCE_WALLET_KEY")); // of the same user
const port = Number(environment("CREDENCE_PARTNER_PORT")); // http://localhost on it is a partner
const author = Number(environment("CREDENCE_PROFILE"));
const pages = new URL("../../docs/partners/", import.meta.url);
const types = { html: "text/html", js: "text/javascript" };

/** Serves the partner's page on a port; 0: any. */
async function serve(at) {
  const server = createServer(async (query, answer) => {
    const name = new URL(query.url, "http://x").pathname.slice(1);
    if (!/^example\.(html|js)$/.test(name)) return answer.writeHead(404).end();
    answer.writeHead(200, { "Content-Type": types[name.split(".")[1]] }).end(await readFile(new URL(name, pages)));
  });
  await new Promise((resolve) => server.listen(at, "localhost", resolve));
  return server;
}
const address = (server) => `http://localhost:${server.address().port}/example.html?service=${service}`;

const read = async (path) => (await fetch(`${service}/api/v2/${path}`, { headers: { "X-Service-Client": "partners-test" } })).json();

/** What the page says after a button was pressed. */
async function pressed(page, button) {
  await page.evaluate(() => { document.getElementById("said").textContent = ""; });
  await page.getByRole("button", { name: button, exact: true }).click();
  await page.waitForFunction(() => document.getElementById("said").textContent !== "");
  const said = await page.locator("#said").textContent();
  assert.ok(said.startsWith("{"), `${button}: ${said}`);
  return JSON.parse(said);
}

/** Everything that the page does for its user, each looked up in the API. */
async function acts(page, account_id) {
  const subject = "0x00000000000000000000000000000000000000AA";
  await page.locator("[name=whom]").fill(subject);
  await page.locator("[name=title]").fill("Kept its word");
  const review = await pressed(page, "Review, positively");
  assert.match(review.hash, /^0x[0-9a-f]{64}$/);
  assert.equal(review.reviewSlug, `${review.review.id}/kept-its-word`);
  const stored = await read(`reviews/${review.review.id}`);
  assert.deepEqual([stored.authorProfileId, stored.subject, stored.comment], [author, subject, "Kept its word"]);

  await page.locator("[name=whom]").fill(account_id);
  const of_account = await pressed(page, "Review, positively");
  assert.equal((await read(`reviews/${of_account.review.id}`)).attestationDetails.account, account_id);

  await page.locator("#activity [name=id]").fill(String(review.review.id));
  await pressed(page, "Vote up");
  const figures = () => read(`votes/stats?type=review&activityId=${review.review.id}`);
  assert.equal((await figures()).counts.upvotes, 1);
  await pressed(page, "Withdraw the vote");
  assert.equal((await figures()).counts.upvotes, 0);
  await page.locator("#activity [name=content]").fill("Thank you");
  const reply = await pressed(page, "Reply");
  assert.equal((await read(`replies/${reply.reply.id}`)).content, "Thank you");
}

/** A page that may take its time on a busy machine, and so may what it opens; see docs/testing.md, "Soak". */
async function opened_in(browser) {
  const page = await browser.newPage();
  page.context().setDefaultTimeout(400_000);
  return page;
}

const says = (page, text) => page.waitForFunction((wanted) => document.getElementById("who").textContent.includes(wanted), text);

async function with_cookies(partner) {
  const browser = await launch(chromium);
  const page = await opened_in(browser);
  await page.goto(address(partner));
  await says(page, "Nobody is signed in");
  const exchanged = await page.evaluate(async ([at, bearer]) => {
    const answer = await fetch(`${at}/api/v2/auth/exchange`, { method: "POST", credentials: "include", headers: { Authorization: `Bearer ${bearer}` } });
    return answer.status;
  }, [service, token]);
  assert.equal(exchanged, 200);
  await page.reload();
  await says(page, "has not let this page act");
  const switched = await fetch(`${service}/api/v2/wallets/managed/partners`, {
    method: "POST",
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
    body: JSON.stringify({ origin: new URL(page.url()).origin }),
  });
  assert.equal(switched.status, 200, await switched.text());
  await page.reload();
  await says(page, `Signed in as profile ${author}.`);
  await acts(page, "44196397");
  const kept = await page.context().cookies();
  assert.ok(kept.length >= 2 && kept.every((each) => each.httpOnly && each.secure && each.sameSite === "None"), JSON.stringify(kept.map((each) => each.name)));
  await browser.close();
}

/** The window of the service that the page opens. */
async function window_of(page) {
  const opened = page.waitForEvent("popup");
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  return opened;
}

/** Presses a button that closes its own window: a click would wait for what is gone by then. */
async function press_the_last(window_of_ours, name) {
  const button = window_of_ours.getByRole("button", { name, disabled: false });
  await button.waitFor();
  await button.evaluate((element) => setTimeout(() => element.click()));
}

/** Who has no wallet is told which one to take; the page hears that its user cancels, or closes the window. */
async function without_a_wallet(partner) {
  const browser = await launch(chromium);
  const page = await opened_in(browser);
  await page.goto(address(partner));
  await says(page, "Nobody is signed in");
  const heard = (what) => page.waitForFunction((wanted) => document.getElementById("said").textContent === wanted, what);
  const first = await window_of(page);
  await first.getByText("Import account").waitFor();
  assert.match(await first.locator("#note").textContent(), /MetaMask.*privateKey of state\/demo\.json/);
  await press_the_last(first, "Cancel");
  await heard("cancelled");
  await page.evaluate(() => { // a page hears it that does not look whether the window is there
    addEventListener("message", (event) => { document.title = String(event.data.error); });
  });
  const second = await window_of(page);
  await second.getByText("Import account").waitFor();
  await second.evaluate(() => setTimeout(() => window.close()));
  await heard("closed");
  await page.waitForFunction(() => document.title === "closed");
  await browser.close();
}

/** The same page on an origin that nobody has listed. */
async function from_elsewhere() {
  const other = await serve(0);
  const browser = await launch(chromium);
  const page = await opened_in(browser);
  await page.goto(address(other));
  await says(page, "Failed to fetch"); // the preflight is not passed
  const origin = new URL(page.url()).origin;
  const status = await new Promise((resolve, reject) => {
    const query = request(`${service}/api/v2/wallets/managed/auth-check`, { headers: { Origin: origin, "X-Service-Client": "partners-test" } }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    query.on("error", reject).end();
  });
  assert.equal(status, 403); // nor does the server let it in that sends none
  const ours = await window_of(page);
  await ours.getByRole("heading", { name: "This application is not known here" }).waitFor();
  assert.equal(await ours.getByRole("button").count(), 0, "nothing is asked for a page that is not listed");
  await browser.close();
  other.close();
}

/** A browser that keeps no cookies of other sites. The user's wallet is in its window, as that of an extension. */
async function without_cookies(partner) {
  const browser = await launch(chromium, "--test-third-party-cookie-phaseout");
  const context = await browser.newContext();
  await context.exposeFunction("signAsUser", (message) => account.signMessage({ message }));
  await context.addInitScript((whose) => {
    window.ethereum = {
      request: ({ method, params }) => (method === "personal_sign" ? window.signAsUser(params[0]) : Promise.resolve([whose])),
    };
  }, account.address.toLowerCase());
  const page = await opened_in(context);
  await page.goto(address(partner));
  await says(page, "Nobody is signed in");
  const ours = await window_of(page);
  assert.equal(await ours.locator("strong").textContent(), new URL(page.url()).origin);
  await ours.getByRole("button", { name: "Sign in with a wallet" }).click();
  await press_the_last(ours, "Allow"); // once it knows who is there
  await says(page, `Signed in as profile ${author}.`);
  assert.ok(!page.url().includes("code"), "the code is in no address");
  await context.clearCookies({ name: /partner-/ }); // also those that it keeps for this site alone
  await acts(page, "44196398");
  await browser.close();
}

const partner = await serve(port);
await with_cookies(partner);
await from_elsewhere();
await without_a_wallet(partner);
await without_cookies(partner);
partner.close();
console.log("partners: all is well");

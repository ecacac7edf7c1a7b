// The page of the API reference in Chromium against a server: search, links, keyboard, commands, a try, both themes, 320 px; nothing is loaded
// from elsewhere, nothing fails, and axe finds nothing. So do the guides, whose examples are run.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import axe from "axe-core";
import { chromium } from "playwright-core";
import { launch, violations } from "../chromium.mjs";

const environment = (name) => {
  const value = process.env[name];
  if (!value) throw new Error(`${name} must be set`);
  return value;
};
const url = environment("CREDENCE_URL");
const folder = fileURLToPath(new URL(".", import.meta.url)); // whose packages the examples import
const document = await (await fetch(`${url}/openapi.json`)).json();
const calls = Object.values(document.paths).flatMap((item) => Object.keys(item)).length;

const makesKey = "$(cat /proc/sys/kernel/random/uuid 2>/dev/null || uuidgen)";
/** What a reference of the document leads to. */
const seen = (value) => (value?.$ref ? seen(value.$ref.slice(2).split("/").reduce((from, key) => from[key], document)) : value);

/** What a reader copies runs as it is. */
function runs(language, text, token) {
  const words = { curl: ["bash", "-c", text], JavaScript: ["node", "--input-type=module", "-e", text], Python: ["python3", "-c", text] }[language];
  return execFileSync(words[0], words.slice(1), { encoding: "utf8", env: { ...process.env, ...(token && { TOKEN: token }) } });
}
/** A page whose every mistake ends the test. */
async function opened(browser, path, options) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  page.setDefaultTimeout(400_000); // on a busy machine, too; see docs/testing.md, "Soak"
  const wrong = [];
  page.on("console", (said) => { if (said.type() === "error") wrong.push(`console: ${said.text()}`); });
  page.on("pageerror", (why) => wrong.push(`script: ${why.message}`));
  page.on("requestfailed", (request) => wrong.push(`failed: ${request.url()}`));
  page.on("request", (request) => { if (!request.url().startsWith(url) && !request.url().startsWith("data:")) wrong.push(`elsewhere: ${request.url()}`); });
  await page.goto(url + path);
  return { page, done: async () => { await context.close(); assert.deepEqual(wrong, []); } };
}
async function assertAccessible(page, what) {
  assert.deepEqual(await violations(page, axe), [], what);
}

async function searches(browser) {
  const { page, done } = await opened(browser, "/docs");
  await page.getByText(`${calls} calls`, { exact: true }).waitFor();
  assert.match(await page.locator("#list h2").first().textContent(), /Projects/, "what is used most comes first");
  assert.match(await page.locator("#list section").first().locator("a").nth(2).textContent(), /Vote on a project/);
  assert.match(await page.locator("#list section").last().locator("h2").textContent(), /Version 1/);
  await page.keyboard.press("/");
  for (const [words, title, by] of [["vote project", "Vote on a project", ""], ["ALREADY_VOTED", "Vote on a project", "code ALREADY_VOTED"],
    ["receiverUserkey", "Tip somebody", "member receiverUserkey"], ["trade 409", "Trade on a market", "status 409"], ["api key", "Make an API key", ""]]) {
    await page.locator("#search").fill(words);
    const first = page.locator("#list a").first();
    assert.ok((await first.textContent()).includes(title), `the best for ${words}: ${await first.textContent()}`);
    assert.equal(await first.locator(".by").count() ? await first.locator(".by").textContent() : "", by, words);
    assert.ok(await page.locator("#list a").count() < calls / 2, `a search for ${words} leaves few`);
  }
  for (const [words, title] of [ // what somebody new has to do, in their words
    ["make a key", "Make an API key"], ["vote on a project", "Vote on a project"], ["how do I retry", "Lists, repeats and errors"], ["next page", "Lists, repeats and errors"],
    ["pagination", "Lists, repeats and errors"], ["how much is left", "Rates"], ["SDK", "Clients for TypeScript and Python"],
    ["find a market", "Trading"],
    ["follow a slash", "Following a slash"], ["tip", "Tip somebody"], ["trade with a guard", "Trading"], ["partner sign-in", "Partner sign-in"], ["rates", "Rates"], ["errors", "Lists, repeats and errors"],
  ]) {
    await page.locator("#search").fill(words);
    await page.locator("#list a").first().filter({ hasText: title }).waitFor();
  }
  for (const [words, title] of [["send a request again", "Lists, repeats and errors"], ["rate limit buckets", "Rates"], ["clients python", "Clients for TypeScript and Python"]]) {
    await page.locator("#search").fill(words);
    await page.locator("#list a").first().filter({ hasText: title }).waitFor();
    assert.match(await page.locator("#list a").first().getAttribute("href"), /^docs\/guides#[\w-]+$/, "a guide is found, too");
  }
  await assertAccessible(page, "what was found");
  for (const [words, title, opened] of [["CANNOT_TIP_SELF", "Tip somebody", ["200", "400"]], ["trade 409", "Trade on a market", ["200", "409"]]]) {
    await page.locator("#search").fill(words);
    await page.locator("#list a").first().click();
    await page.getByRole("heading", { level: 1, name: title }).waitFor();
    assert.deepEqual(await page.locator("main > details[open] > summary strong").allTextContents(), opened, `what was looked for is open: ${words}`);
  }
  await page.locator("#search").fill("vote project");
  await page.locator("#search").focus();
  await page.keyboard.press("ArrowDown");
  assert.ok(await page.evaluate(() => document.activeElement.matches("#list a")), "an arrow leads into the list");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => location.hash.startsWith("#op/"));
  await page.locator("#list a[aria-current]").waitFor();
  await done();
}
async function links(browser) {
  const { page, done } = await opened(browser, "/docs#op/voteOnProject");
  await page.getByRole("heading", { name: "Vote on a project" }).waitFor();
  const command = page.locator("#command");
  const header = "-H 'X-Service-Client: my-bot@1.0'";
  assert.equal(await command.textContent(), `curl -s -X POST '${url}/api/v2/projects/7/votes' ${header} -H "Authorization: Bearer $TOKEN" `
    + `-H "Idempotency-Key: ${makesKey}" -H 'Content-Type: application/json' -d '{"voteType":"BULLISH","voteReason":"good team"}'`);
  assert.match(runs("curl", `echo "${makesKey}"`), /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\n$/i, "each run of the command is an act of its own");
  for (const [language, part] of [["JavaScript", "'Idempotency-Key': crypto.randomUUID()"], ["Python", "urllib.request.Request("]]) {
    await page.getByRole("button", { name: language, exact: true }).click();
    assert.ok((await command.textContent()).includes(part), language);
  }
  await page.reload();
  assert.ok((await command.textContent()).startsWith("import json, os, urllib.request, uuid"), "the language is kept");
  await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
  await page.locator('#list a[href="#op/createApiKey"]').click();
  await page.getByRole("heading", { level: 1, name: "Make an API key" }).waitFor();
  await page.waitForFunction(() => document.activeElement.id === "main");
  assert.ok(await page.evaluate(() => document.querySelector("h1").getBoundingClientRect().top >= document.querySelector("header").getBoundingClientRect().bottom),
    "the title of a call is below the bar");
  const scopes = page.locator(".rows > li", { has: page.locator("p > code", { hasText: /^scopes$/ }) }).first();
  assert.match(await scopes.textContent(), /1 to 6 items; each item: one of "read", "vote", "tip", "trade", "keys", "record"/, "what a list may hold is told");
  await page.goto(`${url}/docs#op/noSuchCall`);
  await page.getByText("There is no call named “noSuchCall”").waitFor();
  await page.goto(`${url}/docs#op/revokeApiKey`);
  await page.getByRole("heading", { name: "Revoke a key" }).waitFor();
  assert.equal(await page.locator("form.try").count(), 0, "a write without a dry run is not tried from the page");
  await page.getByRole("button", { name: "Copy", exact: true }).click();
  await page.getByRole("button", { name: "Copied" }).waitFor();
  await done();
}
async function tries(browser) {
  const { page, done } = await opened(browser, "/docs#op/getScoreOfUserkey");
  await page.locator('[name="query.userkey"]').fill("profileId:1");
  assert.match(await page.locator("#command").textContent(), /userkey=profileId%3A1'/);
  await page.getByRole("button", { name: "Send" }).click();
  await page.locator("#answer pre").first().waitFor();
  const answer = JSON.parse(await page.locator("#answer pre").first().textContent());
  assert.equal(typeof answer.score, "number");
  for (const language of ["curl", "JavaScript", "Python"]) {
    await page.getByRole("button", { name: language, exact: true }).click();
    assert.match(runs(language, await page.locator("#command").textContent()), /score/, language);
  }
  await done();
}
/** What a call needs is filled in, also where it goes by other names; a write with a pasted key is a dry run; and the key stays in the page. */
async function triesAs(browser, key) {
  const { page, done } = await opened(browser, "/docs#op/getVoteStats");
  await page.locator('[name="query.type"]').waitFor();
  assert.deepEqual(await page.locator('[name="query.type"], [name="query.activityType"]').evaluateAll((all) => all.map((each) => each.value)), ["review", ""]);
  await page.goto(`${url}/docs#op/sendTip`);
  await page.getByText("Sent as a dry run").waitFor();
  await page.locator('[name="token"]').fill(key);
  await page.locator("textarea").fill('{"receiverUserkey": "profileId:9", "amount": 1}');
  const asked = page.waitForRequest((request) => request.method() === "POST");
  await page.getByRole("button", { name: "Send" }).click();
  assert.ok((await asked).url().endsWith("?dryRun=true"), (await asked).url());
  await page.locator("#answer strong").filter({ hasText: /^200/ }).waitFor();
  await page.goto(`${url}/docs#op/getVoteBalance`);
  await page.locator('[name="query.projectId"]').waitFor();
  await page.locator('[name="token"]').fill(key);
  await page.getByRole("button", { name: "Send" }).click();
  await page.locator("#answer strong").filter({ hasText: /^200/ }).waitFor();
  assert.ok(!(await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }))).includes(key), "the key stays in the page");
  await done();
}
/** The command of every call can be read by what it is for, and says who calls where the call takes that. */
async function commands(browser) {
  const { page, done } = await opened(browser, "/docs");
  await page.locator("h1").waitFor();
  const names = Object.values(document.paths).flatMap((item) => Object.values(item)).map((call) => [call.operationId, call["x-rate-class"] !== "none"]);
  const said = await page.evaluate(async (all) => {
    const out = { curl: [], JavaScript: [], Python: [] };
    for (const [name] of all) {
      await new Promise((shown) => { addEventListener("hashchange", shown, { once: true }); location.hash = `#op/${name}`; });
      for (const button of document.querySelectorAll(".bar button[aria-pressed]")) {
        button.click();
        out[button.textContent].push(document.getElementById("command").textContent);
      }
    }
    return out;
  }, names);
  for (const [language, texts] of Object.entries(said)) {
    assert.equal(texts.length, names.length, language);
    names.forEach(([name, isCounted], i) => assert.equal(/X-Service-Client'?"?: ?'?"?my-bot@1\.0/.test(texts[i]), isCounted, `${name} in ${language}: ${texts[i]}`));
  }
  await done();
  execFileSync("bash", ["-n"], { input: said.curl.join("\n") });
  for (const text of said.JavaScript) new opened.constructor(text); // a function of it is made, and not called
  execFileSync("python3", ["-c", "import ast, json, sys\nfor text in json.load(sys.stdin): ast.parse(text)"], { input: JSON.stringify(said.Python) });
}
/** Whatever the example of an answer has is explained in its rows, also where the answer consists of several parts. */
async function members(browser) {
  const { page, done } = await opened(browser, "/docs");
  await page.locator("h1").waitFor();
  for (const call of Object.values(document.paths).flatMap((item) => Object.values(item))) {
    const { example, schema } = seen(call.responses["200"])?.content?.["application/json"] ?? {};
    const { properties, allOf, anyOf, oneOf, type } = seen(schema) ?? {};
    if (!(properties || allOf || anyOf || oneOf || type === "array")) continue; // its names are data
    await page.evaluate((name) => { location.hash = `#op/${name}`; }, call.operationId);
    await page.locator("h1").filter({ hasText: call.summary }).waitFor();
    const rows = await page.locator("main > details").first().locator(":scope > .rows > li > p:first-child > code").allTextContents();
    const first = [example].flat()[0];
    if (!rows.length || typeof first !== "object") continue;
    assert.deepEqual(Object.keys(first).filter((name) => !rows.includes(name)), [], `${call.operationId}: ${rows}`);
  }
  await page.goto(`${url}/docs#op/getSlash`);
  await page.locator(".rows > li", { has: page.locator("p > code", { hasText: /^ballots$/ }) }).waitFor();
  await page.goto(`${url}/docs#op/checkManagedAuth`);
  await page.locator("#command").filter({ hasText: "-H 'Origin: https://partner.example'" }).waitFor();
  await done();
}
async function looks(browser) {
  for (const colorScheme of ["light", "dark"]) {
    const { page, done } = await opened(browser, "/docs#op/voteOnProject", { colorScheme });
    await page.getByRole("heading", { name: "Answers" }).waitFor();
    await assertAccessible(page, `a call, ${colorScheme}`);
    await page.goto(`${url}/docs`);
    await page.getByRole("heading", { name: "Resources" }).waitFor();
    await assertAccessible(page, `the first page, ${colorScheme}`);
    await done();
    const start = await opened(browser, "/", { colorScheme });
    await assertAccessible(start.page, `/, ${colorScheme}`);
    await start.page.getByRole("link", { name: "API reference" }).click();
    await start.page.getByRole("heading", { name: "Resources" }).waitFor();
    await start.done();
  }
  for (const path of ["/", "/docs", "/docs#op/listApiKeys", "/docs#op/createProject"]) {
    const { page, done } = await opened(browser, path, { viewport: { width: 320, height: 640 } });
    await page.locator("h1").first().waitFor();
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${path} is wider than 320 px`);
    await done();
  }
  const phone = await opened(browser, "/docs", { viewport: { width: 320, height: 640 } });
  await phone.page.locator("h1").waitFor();
  assert.ok(await phone.page.locator("h1").evaluate((element) => element.getBoundingClientRect().top < 400), "a phone shows the text first");
  assert.ok(!await phone.page.locator("#list").isVisible());
  await phone.page.getByRole("button", { name: "Calls" }).click();
  await phone.page.locator("#list a").first().waitFor();
  await assertAccessible(phone.page, "the list on a phone");
  await phone.page.locator("#list a").nth(2).click();
  await phone.page.getByRole("heading", { level: 1, name: "Vote on a project" }).waitFor();
  assert.ok(!await phone.page.locator("#list").isVisible(), "the list leaves the text alone");
  await phone.done();
  const { page, done } = await opened(browser, "/docs", { colorScheme: "light" });
  await page.getByRole("button", { name: "Theme" }).click();
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
  await page.reload();
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark", "the theme is kept");
  await done();
}

/** Every guide is shown as it is written, leads to the others, and its examples run as they are. */
async function guides(browser) {
  const { page, done } = await opened(browser, "/docs/guides");
  await page.getByRole("heading", { level: 1, name: "Guides" }).waitFor();
  const names = await page.locator("#list a").evaluateAll((all) => all.map((each) => each.hash.slice(1)));
  assert.ok(names.length >= 7, `${names}`);
  for (const name of names) {
    const text = await (await fetch(`${url}/docs/guides/${name}`)).text();
    await page.goto(`${url}/docs/guides#${name}`);
    await page.getByRole("heading", { level: 1, name: /^# (.*)/.exec(text)[1], exact: true }).waitFor();
    await page.locator(`#list a[href="#${name}"][aria-current]`).waitFor();
    await assertAccessible(page, `the guide ${name}`);
    const links = await page.locator("main a").evaluateAll((all) => all.map((each) => each.getAttribute("href")));
    for (const link of links) assert.ok(link === "../docs" || names.includes(link.slice(1).split("/")[0]), `${name} leads to ${link}`);
    await page.setViewportSize({ width: 320, height: 640 });
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${name} is wider than 320 px`);
    assert.ok(await page.locator("h1").evaluate((element) => element.getBoundingClientRect().top < 200), "a phone shows the text first");
    await page.setViewportSize({ width: 1280, height: 800 });
  }
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto(`${url}/docs/guides#slashes`);
  await page.getByRole("heading", { level: 1, name: "Following a slash" }).waitFor();
  await page.getByRole("button", { name: "Copy", exact: true }).click();
  await page.getByRole("button", { name: "Copied" }).waitFor();
  const [, example] = /```js\n(.*?)\n```/s.exec(await (await fetch(`${url}/docs/guides/slashes`)).text());
  assert.equal((await page.evaluate(() => navigator.clipboard.readText())).trim(), example, "an example is copied as it is written");
  await page.goto(`${url}/docs/guides#first-bot/make-a-key`);
  await page.waitForFunction(() => document.getElementById("make-a-key")?.getBoundingClientRect().top < 200);
  await done();
  assert.equal((await fetch(`${url}/docs/guides/no-such-guide`)).status, 404);
}
async function examples(browser) {
  const around = { CREDENCE_URL: url, CREDENCE_ORIGIN: environment("CREDENCE_ORIGIN"), WALLET_KEY: environment("CREDENCE_WALLET_KEY"),
    MARKET: String((await (await fetch(`${url}/api/v2/markets?limit=1`)).json()).values[0].id) };
  const blocks = async (name) => [...(await (await fetch(`${url}/docs/guides/${name}`)).text()).matchAll(/```js\n(.*?)```/gs)].map(([, text]) => text);
  const ran = (text, more = {}) => execFileSync("node", ["--input-type=module", "-e", text], { encoding: "utf8", cwd: folder, env: { ...process.env, ...around, ...more } });
  const partner = readFileSync(new URL("../../docs/partners/example.js", import.meta.url), "utf8"); // tests/clients/partners.mjs runs it
  const parts = await blocks("partners");
  assert.ok(parts.length > 0 && parts.every((part) => partner.includes(part)), "the guide for partners shows parts of the page that is tested");
  const [makesKey, bot] = await blocks("first-bot");
  const key = ran(makesKey).trim();
  assert.match(key, /^crd_/);
  await triesAs(browser, key);
  assert.match(ran(bot, { CREDENCE_KEY: key }), /^voted on project \d+\ntipped\n$/);
  const [signsIn] = await blocks("sign-in");
  around.TOKEN = ran(`${signsIn}\nconsole.log(said.accessToken);`).trim().split("\n").at(-1);
  for (const [name, said] of [["sign-in", /^profile \d+ until /], ["lists-and-repeats", /^\d+ XP tipped/], ["trading", /^trade \d+: /], ["slashes", /slash/]])
    for (const text of await blocks(name)) assert.match(ran(text), said, name);
}

const browser = await launch(chromium);
try {
  for (const part of [searches, links, tries, commands, members, looks, guides, examples]) await part(browser);
} finally {
  await browser.close();
}
console.log("docs: all is well");

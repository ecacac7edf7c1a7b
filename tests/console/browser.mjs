// A browser that looks at the console and keeps what went wrong: console errors, exceptions, failed requests.
import assert from "node:assert/strict";
import axe from "axe-core";
import {chromium} from "playwright-core";
import {privateKeyToAccount} from "viem/accounts";
import {launch as launchChromium, violations} from "../chromium.mjs";

export const environment = (name) => {
  const value = process.env[name];
  if (!value) throw new Error(`${name} must be set`);
  return value;
};

/** A page may take this much longer than on a quiet machine; see docs/testing.md, "Soak". */
export const slack = Number(process.env.BARS_SLACK ?? 20);

export const launch = () => launchChromium(chromium);

export const wide = {width: 1280, height: 860};
export const narrow = {width: 320, height: 640};
export const large = {width: 1440, height: 900};

/** A browser of its own for somebody: cookies, colours and size. `mistakes` grows with what goes wrong. */
export async function open(browser, {colours = "dark", viewport = wide} = {}) {
  const context = await browser.newContext({colorScheme: colours, viewport, reducedMotion: "reduce", timezoneId: "Asia/Kolkata", locale: "en-GB"});
  const page = await context.newPage();
  page.setDefaultTimeout(20_000 * slack);
  const mistakes = [];
  const expected = {refusals: false}; // while a server is away, or somebody is refused on purpose
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type()) && !expected.refusals) mistakes.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => mistakes.push(`exception: ${error.message}`));
  page.on("requestfailed", (request) => { // the page itself ends streams and answers that it needs no more
    if (!expected.refusals && request.failure()?.errorText !== "net::ERR_ABORTED") mistakes.push(`failed: ${request.url()} ${request.failure()?.errorText}`);
  });
  page.on("response", (answer) => {
    if (!expected.refusals && answer.status() >= 400) mistakes.push(`${answer.status()}: ${answer.request().method()} ${answer.url()}`);
  });
  page.on("request", (request) => {
    if (!request.url().startsWith("data:") && new URL(request.url()).hostname !== "127.0.0.1") mistakes.push(`elsewhere: ${request.url()}`);
  });
  return {context, page, mistakes, expected};
}

export function noMistakes({mistakes}, where) {
  assert.deepEqual(mistakes, [], `mistakes ${where}`);
}

/** Opens a link that is good once, and waits until its owner is in. */
export async function signInByLink({page}, link) {
  await page.goto(link);
  await page.getByRole("heading", {level: 1, name: "Overview"}).waitFor();
  assert.ok(!page.url().includes("link="), "the code stays in no history");
}

/** Signs in by a wallet in the page, whose key is a demo's. */
export async function signInByWallet({page, expected}, url, key) {
  expected.refusals = true; // the page asks who is signed in: nobody
  const account = privateKeyToAccount(key);
  await page.exposeFunction("credenceSigns", (hex) => account.signMessage({message: {raw: hex}}));
  await page.addInitScript((address) => {
    window.ethereum = {
      request: async ({method, params}) => {
        if (method === "eth_requestAccounts") return [address];
        if (method === "personal_sign") return window.credenceSigns(params[0]);
        throw new Error(`the wallet knows no ${method}`);
      },
    };
  }, account.address.toLowerCase());
  await page.goto(url);
  await page.getByRole("button", {name: "Sign in with the wallet"}).click();
  await page.getByRole("heading", {level: 1, name: "Overview"}).waitFor();
  expected.refusals = false;
}

/** Goes to a view as a reader does who types its address, and waits until it has been read. */
export async function visit({page}, view) {
  await page.evaluate((to) => { location.hash = to; }, `#/${view}`);
  await page.waitForFunction((name) => location.hash === `#/${name}`, view);
  await page.locator("main h1").waitFor();
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  await page.waitForFunction(() => document.querySelector("main").dataset.reading === "0");
}

export async function assertAccessible({page}, where) {
  assert.deepEqual(await violations(page, axe), [], `axe ${where}`);
}

export async function assertFits({page}, where) {
  const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.ok(over <= 0, `${where} is ${over} px wider than the screen`);
}

/** Goes to each view in each size and in both themes: none shows an error, is wider than the screen, or has anything that axe finds. */
export async function assertViewsIn(who, views, sizes) {
  const before = who.page.viewportSize();
  for (const size of sizes) {
    await who.page.setViewportSize(size);
    for (const colorScheme of ["dark", "light"]) {
      await who.page.emulateMedia({colorScheme});
      for (const view of views) {
        const where = `${view} at ${size.width} px in ${colorScheme}`;
        await visit(who, view);
        assert.equal(await who.page.evaluate(() => document.documentElement.dataset.theme), colorScheme);
        assert.equal(await who.page.locator("main [role=alert]").count(), 0, `${where} shows an error: ${await who.page.locator("main").textContent()}`);
        await assertFits(who, where);
        await assertAccessible(who, `on ${where}`);
      }
    }
  }
  await who.page.setViewportSize(before);
}

/** Presses Tab until what has the focus has that role and name. */
export async function tabTo({page}, role, name) {
  const wanted = page.getByRole(role, {name, exact: true});
  await wanted.first().waitFor();
  for (let presses = 0; presses < 400; presses += 1) {
    if (await wanted.first().evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press("Tab");
  }
  assert.fail(`Tab does not lead to the ${role} ${name}`);
}

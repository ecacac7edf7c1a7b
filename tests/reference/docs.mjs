// The page of the API reference in Chromium against a server: search, links, keyboard, commands, a try, both themes, 320 px; nothing is loaded
// from elsewhere, nothing fails, and axe finds nothing.
import assert from "node:assert/strict";
import axe from "axe-core";
import { chromium } from "playwright-core";
import { launch, violations } from "../chromium.mjs";

const environment = (name) => {
  const value = process.env[name];
  if (!value) throw new Error(`${name} must be set`);
  return value;
};
const url = environment("CREDENCE_URL");
const document = await (await fetch(`${url}/openapi.json`)).json();
const calls = Object.values(document.paths).flatMap((item) => Object.keys(item)).length;

/** A page whose every mistake ends the test. */
async function opened(browser, path, options) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
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
  await page.getByText(`${calls} of ${calls} calls`).waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("vote project");
  assert.ok(await page.locator("#list a").count() < 30, "a search leaves a few");
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
  const command = await page.locator("#curl").textContent();
  assert.equal(command, `curl -s -X POST '${url}/api/v2/projects/7/votes' -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' `
    + `-d '{"voteType":"BULLISH","voteReason":"good team"}'`);
  assert.equal(await page.locator("form.try").count(), 0, "writes are not tried from the page");
  await page.getByRole("button", { name: "Copy as curl" }).click();
  await page.getByRole("button", { name: "Copied" }).waitFor();
  await done();
}
async function tries(browser) {
  const { page, done } = await opened(browser, "/docs#op/getScoreOfUserkey");
  await page.locator('[name="query.userkey"]').fill("profileId:1");
  assert.match(await page.locator("#curl").textContent(), /userkey=profileId%3A1'/);
  await page.getByRole("button", { name: "Send" }).click();
  await page.locator("#answer pre").first().waitFor();
  const answer = JSON.parse(await page.locator("#answer pre").first().textContent());
  assert.equal(typeof answer.score, "number");
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
  const { page, done } = await opened(browser, "/docs", { colorScheme: "light" });
  await page.getByRole("button", { name: "Theme" }).click();
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
  await page.reload();
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark", "the theme is kept");
  await done();
}

const browser = await launch(chromium);
try {
  for (const part of [searches, links, tries, looks]) await part(browser);
} finally {
  await browser.close();
}
console.log("docs: all is well");

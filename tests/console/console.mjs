// The operator console of a real server in a real browser, as its operators use it; see tests/system/console_test.cpp, which runs this.
import assert from "node:assert/strict";
import {existsSync, readFileSync, renameSync, rmSync, writeFileSync} from "node:fs";
import {join} from "node:path";
import {privateKeyToAccount} from "viem/accounts";
import {createSiweMessage, generateSiweNonce} from "viem/siwe";
import {assertAccessible, assertViewsIn, environment, large, launch, narrow, noMistakes, open, signInByLink, signInByWallet, slack, tabTo, visit, wide} from "./browser.mjs";
import {prefixProxy} from "./proxy.mjs";
import {all, pages} from "./views.mjs";

const url = `${environment("CREDENCE_CONSOLE_URL")}/`; // of the admin listener
const links = environment("CREDENCE_CONSOLE_LINKS").split(" "); // of an admin, each good once
const wallLink = environment("CREDENCE_WALL_LINK"); // of the role wall
const viewerKey = environment("CREDENCE_VIEWER_KEY"); // of the wallet of a profile in auth.viewers
const adminKey = environment("CREDENCE_ADMIN_KEY"); // of the wallet of profile 1, which is in auth.admins
const voterKey = environment("CREDENCE_VOTER_KEY"); // of the wallet of the profile whose token `voter` is
const api = environment("CREDENCE_URL"); // the public API
const voter = environment("CREDENCE_VOTER_TOKEN"); // of a profile that has no vote on `project` in a period that just began
const admin = environment("CREDENCE_ADMIN_TOKEN"); // for the admin API
const project = Number(environment("CREDENCE_PROJECT"));
const restarts = environment("CREDENCE_RESTARTS"); // a folder: a file `ask` in it has done to the server what it says, and is replaced by `done`
const origin = "http://127.0.0.1:8080"; // what a server calls itself that was told nothing

const link = () => {
  const next = links.shift();
  assert.ok(next, "a link for each who signs in by one");
  return next;
};
const code = (of) => of.slice(of.indexOf("#"));

const call = async (method, path, body) => {
  const answer = await fetch(`${url}admin/api/v1/${path}`, {
    method, headers: {Authorization: `Bearer ${admin}`, ...(body ? {"Content-Type": "application/json"} : {})}, body: body && JSON.stringify(body),
  });
  assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${await answer.clone().text()}`);
  return answer.json();
};

async function everyPageInBothThemes(signedIn) {
  await assertViewsIn(signedIn, all, [large]);
  for (const [view, title] of pages) {
    await visit(signedIn, view);
    assert.equal(await signedIn.page.locator("main h1").textContent(), title);
    assert.equal(await signedIn.page.getByRole("link", {name: title, exact: false}).first().getAttribute("aria-current"), "page", `the menu shows that ${view} is open`);
    assert.equal(await signedIn.page.getByRole("button", {name: "Copy link"}).count(), 1, `${view} has a link to be copied`);
  }
  noMistakes(signedIn, "on the pages");
}

async function everyPageOnASmallScreen(signedIn) {
  await assertViewsIn(signedIn, all, [narrow]);
  await signedIn.page.setViewportSize(narrow);
  await visit(signedIn, "overview");
  await signedIn.page.getByRole("button", {name: "Menu"}).click();
  await assertAccessible(signedIn, "in the menu at 320 px");
  await signedIn.page.getByRole("link", {name: "Store"}).click();
  await signedIn.page.getByRole("heading", {level: 1, name: "Store"}).waitFor();
  await signedIn.page.setViewportSize(wide);
  noMistakes(signedIn, "at 320 px");
}

/** A dangerous act without a mouse: it takes the very word, Escape leaves it, and the focus returns to where it began. */
async function actByKeyboard(who, button, word, verb, said) {
  const {page} = who;
  const dialog = page.getByRole("dialog");
  await tabTo(who, "button", button);
  await page.keyboard.press("Enter");
  await dialog.waitFor();
  await assertAccessible(who, `in the dialog of ${button}`);
  await page.keyboard.type(`${word}-not`);
  await page.keyboard.press("Enter");
  assert.ok(await dialog.isVisible(), "another word does nothing");
  await page.keyboard.press("Escape");
  await dialog.waitFor({state: "detached"});
  assert.ok(await page.getByRole("button", {name: button, exact: true}).evaluate((element) => element === document.activeElement), "the focus is back where it was");

  await page.keyboard.press("Enter");
  await dialog.waitFor();
  await page.keyboard.type(word);
  await tabTo(who, "button", verb);
  await page.keyboard.press("Enter");
  await dialog.waitFor({state: "detached"});
  await page.locator(".toast", {hasText: said}).waitFor();
}

/** An act whose dialog asks for no word. */
async function act({page}, button, verb, said) {
  const dialog = page.getByRole("dialog");
  await page.getByRole("button", {name: button, exact: true}).click();
  await dialog.getByRole("button", {name: verb, exact: true}).click();
  await dialog.waitFor({state: "detached"});
  await page.locator(".toast", {hasText: said}).waitFor();
}

/** Waits until the line of a panel, such as “Joined”, has the text. */
const pairShows = ({page}, label, text) => page.waitForFunction(([name, value]) => [...document.querySelectorAll("dl.pairs dt")]
  .some((each) => each.textContent === name && each.nextElementSibling.textContent.includes(value)), [label, text]);

const newestAct = async (name) => (await call("GET", `audit?act=${name}&limit=1`)).values[0];

async function dangerousActsByKeyboard(who) {
  const {page} = who;
  await visit(who, "overview");
  await page.reload();
  await page.getByRole("heading", {level: 1, name: "Overview"}).waitFor();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement.id), "main", "the first stop leads past the menu");

  await fetch(`${api}/api/v2/projects/${project}/voters`); // so that it is in memory
  await visit(who, `actors/project:${project}`);
  await actByKeyboard(who, "Stop…", `project:${project}`, "Stop it", "leaves memory");

  await visit(who, "periods");
  const before = await call("GET", "periods");
  const openBefore = before.values.find((each) => each.closedAt === null);
  await tabTo(who, "button", "Dry run");
  await page.keyboard.press("Enter");
  await page.getByText("Votes allocated in all").waitFor();
  assert.deepEqual((await call("GET", "periods")).values, before.values, "a dry run changes nothing");
  await actByKeyboard(who, "Advance…", `${openBefore.year}/${openBefore.number}`, "Advance the period", "is open");
  const openAfter = (await call("GET", "periods")).values.find((each) => each.closedAt === null);
  assert.notEqual(openAfter.id, openBefore.id);

  await visit(who, "store");
  for (const name of ["Backups and checks", "Room", "Under way in PostgreSQL", "Slow statements", "Connections"]) await page.getByRole("heading", {level: 2, name, exact: true}).waitFor();
  await page.getByRole("table", {name: "Connections to the database"}).getByText("credence-console").first().waitFor();
  assert.match(await statOf(who, "Free for data_dir").textContent(), /^[\d.,]+\s[KMGT]iB$/);
  await tabTo(who, "textbox", "Reason for a pause");
  await page.keyboard.type("the test looks at it");
  await actByKeyboard(who, "Pause…", "pause", "Pause the intake", "paused");
  const refused = await vote(project + 1);
  assert.equal((await refused.json()).code, "WRITES_PAUSED", "a write while the intake is paused");
  await visit(who, "overview");
  await page.getByText("the test looks at it").waitFor();
  await page.getByText("Nothing needs to be done").waitFor({state: "detached"}); // what is shown first may be of a second ago
  await assertAccessible(who, "on the overview with a condition");
  await tabTo(who, "button", "Resume…");
  await page.keyboard.press("Enter");
  await tabTo(who, "button", "Resume");
  await page.keyboard.press("Enter");
  await page.locator(".toast", {hasText: "taken again"}).waitFor();
  await page.getByText("the test looks at it").waitFor({state: "detached"});
  noMistakes(who, "while acting");
}

/** The vote that was refused while writes were paused: from its line of the log to everything of its request, and what an entry of the audit belongs to. */
async function aLineLeadsToItsRequest(who) {
  const {page} = who;
  const {values: [line]} = await call("GET", "logs?event=request&limit=1");
  await visit(who, `logs?event=request&text=${line.fields.request_id}`);
  await page.getByRole("log").getByRole("link").first().click();
  await page.getByRole("heading", {level: 1, name: "One line of the log"}).waitFor();
  await page.getByRole("group", {name: "Lines of the request, oldest first"}).getByText(String(line.fields.request_id)).first().waitFor();
  await assertAccessible(who, "on a line of the log");
  const before = new Date(line.at).toISOString().slice(0, 19).replace("T", " ");
  await visit(who, `logs?event=request&to=${encodeURIComponent(before)}`);
  assert.equal(await page.getByRole("log").getByText(String(line.fields.request_id)).count(), 0, "it came later");
  const {values: [entry]} = await call("GET", "audit?act=log_level_changed&limit=1");
  if (entry) {
    await visit(who, `logs/request/${entry.requestId}`);
    await page.getByRole("table", {name: "Entries of the request"}).getByRole("link", {name: "log level changed"}).first().waitFor();
  }
  noMistakes(who, "from a line to its request");
}

const post = (path, body, headers = {}) => fetch(`${api}/api/v2/${path}`, {method: "POST", headers: {"Content-Type": "application/json", ...headers}, body: JSON.stringify(body)});
const asVoter = (path, body) => post(path, body, {Authorization: `Bearer ${voter}`});

const vote = (on) => asVoter(`projects/${on}/votes`, {voteType: "BULLISH", voteReason: "seen at once"});
const quote = async (market) => (await asVoter(`markets/${market}/quote`, {action: "buy", voteType: "trust", votes: 1})).status;

async function review(subject, score, comment) {
  const written = await asVoter("reviews/create", {subject, score, comment});
  assert.equal(written.status, 200, await written.clone().text());
  return written.json();
}

/** Makes an API key of the voter's, by its wallet. */
async function makeKey(name) {
  const {address, signMessage} = privateKeyToAccount(voterKey);
  const message = createSiweMessage({
    domain: new URL(origin).host, address, uri: origin, version: "1", chainId: 8453, nonce: generateSiweNonce(), statement: "Create an API key.",
    issuedAt: new Date(), expirationTime: new Date(Date.now() + 300_000),
  });
  const made = await post("api-keys", {address, message, signature: await signMessage({message}), name});
  assert.equal(made.status, 200, await made.clone().text());
  return made.json();
}

/** What a request with the key is answered. */
const statusWith = async (key) => (await fetch(`${api}/api/v2/api-keys`, {headers: {"X-Service-Api-Key": key.token}})).status;

/** What an admin does to a profile: it gets XP, and somebody whom `voter` has reviewed becomes a part of it. */
async function grantsAndMergesByKeyboard(who) {
  const {page} = who;
  const before = (await call("GET", "people/1")).xp;
  await visit(who, "records/people/1");
  assert.equal(await page.getByRole("heading", {name: "Human verification"}).count(), 0, "a link names nobody who could have decided it");
  await tabTo(who, "textbox", "Amount in XP");
  await page.keyboard.type("500");
  await tabTo(who, "textbox", "Reason, for the audit log");
  await page.keyboard.type("the test is kind");
  await actByKeyboard(who, "Grant XP…", "1", "Grant it", "Profile 1 now has");
  assert.equal((await call("GET", "people/1")).xp, before + 500);

  await actByKeyboard(who, "End sessions and keys…", "1", "End them all", "and 0 partners ended");
  const {values: ended} = await call("GET", "keys?profileId=1");
  assert.deepEqual(ended, []);

  const address = "0x00000000000000000000000000000000000c0de1";
  await review(`address:${address}`, "positive", "kept its word");
  await tabTo(who, "textbox", "Userkey of the other person");
  await page.keyboard.type(`address:${address}`);
  await actByKeyboard(who, "Merge…", "1", "Merge them", "is a part of profile 1 now");
  assert.ok((await call("GET", "people/1")).addresses.some((each) => each.toLowerCase() === address));
  noMistakes(who, "while granting and merging");
}

/** A review is taken down from the time line of whom it is about, and a profile is archived and restored. */
async function aReviewAndAProfileAreArchived(who) {
  const {page} = who;
  const {id} = await review("profileId:9", "negative", "a review to be taken down");
  const stands = async () => !(await (await fetch(`${api}/api/v2/reviews/${id}`)).json()).archived;
  await visit(who, "records/people/9?only=reviews");
  await page.getByText("a review to be taken down").waitFor();
  await assertAccessible(who, "on the reviews of somebody");
  await actByKeyboard(who, `Archive review ${id}`, String(id), "Archive it", "is archived");
  assert.ok(!await stands(), "it is archived");
  await act(who, `Restore review ${id}`, "Restore it", `Review ${id} is restored.`);
  assert.ok(await stands(), "it is restored");
  await actByKeyboard(who, "Archive…", "9", "Archive it", "Profile 9 is archived.");
  assert.equal((await call("GET", "people/9")).archived, true);
  await act(who, "Restore…", "Restore it", "Profile 9 is live again.");
  assert.equal((await call("GET", "people/9")).archived, false);
  noMistakes(who, "while archiving");
}

/** A support case: somebody is found by what is known of them, and everything of them is in one line of time. */
async function aPersonIsFoundWithATimeLine(who) {
  const {page} = who;
  const {displayName} = await call("GET", "people/1");
  await visit(who, "overview");
  await tabTo(who, "searchbox", "Search for anything");
  await page.keyboard.type("profileId:1");
  const found = page.getByRole("search").getByRole("link", {name: displayName, exact: true});
  await found.waitFor();
  await assertAccessible(who, "while something is searched for");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", {level: 1, name: displayName}).waitFor();
  assert.ok(page.url().endsWith("#/records/people/1"));
  const line = page.getByRole("table", {name: "Time line, newest first"});
  await line.getByText("500 XP").first().waitFor();
  await page.getByLabel("Show", {exact: true}).selectOption("audit");
  const {values: [newest]} = await call("GET", "audit?profileId=1&limit=1");
  await line.getByRole("row").nth(1).getByText(newest.act.replaceAll("_", " ")).first().waitFor();
  assert.match(page.url(), /only=audit/);
  await page.getByLabel("Show", {exact: true}).selectOption("score");
  await page.waitForFunction(() => [...document.querySelectorAll("main table")].some((table) => table.caption?.textContent === "Time line, newest first" && /, by /.test(table.textContent)));
  await assertAccessible(who, "on a time line");
  const name = await call("GET", `projects/${project}`);
  await page.getByRole("searchbox", {name: "Search for anything"}).fill(name.username);
  await page.getByRole("search").getByRole("link", {name: name.name, exact: true}).first().click();
  await page.getByRole("heading", {level: 1, name: name.name}).waitFor();
  await visit(who, "records/people");
  await page.getByRole("table", {name: "Who joined last"}).getByRole("link").first().waitFor();
  noMistakes(who, "on a time line");
}

/** Somebody new types what is to be done, or looked at, and is led there. */
async function newcomersFindTheirWay(who) {
  const {page} = who;
  for (const [words, link, part] of [
    ["errors", "History", {role: "textbox", name: "Go to (UTC)"}], ["too many", "Clients", {role: "columnheader", name: "Too many (429)"}],
    ["ring", "Stored rings", {role: "columnheader", name: "Mark"}], ["last backup", "Store: backup, verification", {role: "heading", name: "Backups and checks"}],
    ["admin", "Audit", {role: "combobox", name: "Time"}], ["slow statement", "Store: slow statements, locks, sizes", {role: "heading", name: "Slow statements"}],
    ["pause writes", "Store: pause and resume writes", {role: "heading", name: "Intake"}],
  ]) {
    await visit(who, "overview");
    await page.getByRole("searchbox", {name: "Search for anything"}).fill(words);
    await page.getByRole("search").getByRole("link", {name: link, exact: true}).click();
    await page.getByRole(part.role, {name: part.name, exact: true}).first().waitFor();
  }
  const {username, name} = await call("GET", `projects/${project}`);
  await page.getByRole("searchbox", {name: "Search for anything"}).fill(username);
  await page.getByRole("search").getByRole("link", {name, exact: true}).first().click();
  await page.getByRole("heading", {level: 1, name}).waitFor();
  await page.getByLabel("Time", {exact: true}).selectOption("hour");
  await page.getByRole("table", {name: "Votes, newest first"}).getByText("seen at once", {exact: true}).first().waitFor();
  noMistakes(who, "while something was looked for");
}

/** Whoever has a number, an account or the name of a caller types it as it stands in a message or an alert, and is led to what it is. */
async function theSearchKnowsNumbersAccountsAndClients(who) {
  const {page} = who;
  const client = "seeker";
  const ask = async (path) => (await fetch(`${api}/api/v2/${path}`, {headers: {"X-Service-Client": `${client}@1.0`}})).json();
  const {displayName, username} = await call("GET", "people/1");
  const account = (await ask("internal/users/profileId:1")).user.userkeys.map((each) => /^service:x\.com:(\d+)$/.exec(each)?.[1]).find(Boolean);
  const {values: [{id: slash}]} = await ask("slashes?limit=1");
  const {values: [market]} = await call("GET", "markets?limit=1");
  const {name} = await call("GET", `projects/${project}`);
  const field = page.getByRole("searchbox", {name: "Search for anything"});
  const found = page.getByRole("search").getByRole("listitem");
  for (const [typed, said, path] of [
    ["person 1", `${displayName} person 1`, "records/people/1"],
    ["Profile #1", `${displayName} person 1`, "records/people/1"],
    [`project ${project}`, `${name} project ${project}`, `records/projects/${project}`],
    [`market ${market.profileId}`, `${market.name} market ${market.profileId}`, `records/markets/${market.profileId}`],
    [`slash #${slash}`, `slash ${slash} slash`, `records/slashes/${slash}`],
    ["ring 1", "ring 1 stored", "integrity/rings?ring=1"],
    [account, `${displayName} person 1`, "records/people/1"],
    [`https://x.com/${username}`, `${displayName} person 1`, "records/people/1"],
    [`twitter.com/${username}/status/1`, `${displayName} person 1`, "records/people/1"],
    ["SEEKER", `${client} client`, `history?client=${client}`],
  ]) {
    await visit(who, "overview");
    await field.fill(typed);
    await found.filter({hasText: said}).waitFor();
    assert.deepEqual(await found.allTextContents(), [said], `what is found by ${typed}`);
    await field.press("Enter");
    await page.waitForURL((at) => at.hash === `#/${path}`);
  }
  for (const nothing of ["project 999999", "x.com/nobody_is_called_so"]) {
    await field.fill(nothing);
    await page.getByRole("search").getByText(/^Nothing was found\./).waitFor();
  }
  await field.fill("");
  noMistakes(who, "while numbers, accounts and clients were looked for");
}

/** Times are typed as people say them, and a link to them means the same tomorrow. */
async function timesAreTyped(who) {
  const {page} = who;
  const today = new Date().toISOString().slice(0, 10);
  const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
  await visit(who, "audit");
  await page.getByLabel("Time", {exact: true}).selectOption("today");
  await page.waitForFunction((from) => new URLSearchParams(location.hash.split("?")[1]).get("from") === from, `${today} 00:00`);
  await page.getByRole("table", {name: "Entries of the audit, newest first"}).getByRole("row").nth(1).waitFor();
  await page.getByLabel("From (UTC)").fill("yesterday");
  await page.keyboard.press("Tab");
  await page.waitForFunction((from) => new URLSearchParams(location.hash.split("?")[1]).get("from") === from, `${yesterday} 00:00:00`);
  await page.getByLabel("From (UTC)").fill("soon");
  await page.getByText("Such as 03:12, yesterday").waitFor();
  await visit(who, "logs?to=2020-01-01");
  await page.getByText("journalctl -u credence --until '2020-01-01 00:00:00 UTC'").waitFor();
  noMistakes(who, "while times were typed");
}

/** A list is taken along as it is filtered, with every page of it; the link leads to the same view. */
async function aListIsTakenAlong(who) {
  const {page} = who;
  await visit(who, "audit?act=log_level_changed");
  for (const format of ["CSV", "JSON"]) {
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", {name: `Save audit as ${format}`}).click()]);
    const text = readFileSync(await download.path(), "utf8");
    assert.match(download.suggestedFilename(), new RegExp(`^credence-audit-[0-9T-]+\\.${format.toLowerCase()}$`));
    const entries = (await call("GET", "audit?act=log_level_changed&limit=200")).values;
    assert.ok(entries.length > 0);
    if (format === "JSON") assert.deepEqual(JSON.parse(text), entries);
    else {
      const [head, ...rows] = text.replace(/^\uFEFF/, "").trimEnd().split("\r\n");
      assert.equal(head, Object.keys(entries[0]).join(","));
      assert.equal(rows.length, entries.length);
    }
  }
  await visit(who, `records/projects/${project}?side=bullish`);
  const [votes] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", {name: `Save project-${project}-votes as JSON`}).click()]);
  const {values} = await call("GET", `votes?projectId=${project}&side=bullish&limit=200`);
  assert.ok(values.length > 0);
  assert.deepEqual(JSON.parse(readFileSync(await votes.path(), "utf8")).slice(0, 200), values, "what the filter shows");
  await visit(who, "audit?act=log_level_changed");
  const {displayName} = await call("GET", "people/1");
  await page.getByRole("link", {name: `${displayName} (1)`, exact: true}).first().waitFor(); // whose token `admin` is
  await who.context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.getByRole("button", {name: "Copy link"}).click();
  await page.locator(".toast", {hasText: "copied"}).waitFor();
  assert.ok((await page.evaluate(() => navigator.clipboard.readText())).endsWith("#/audit?act=log_level_changed"));
  await page.emulateMedia({media: "print", colorScheme: "dark"});
  assert.ok(!await page.locator(".side").isVisible(), "paper has no menu");
  assert.equal(await page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue("--page").trim()), "#f6f7f9", "paper is light");
  await page.emulateMedia({media: "screen"});
  noMistakes(who, "while a list was taken along");
}

/** A screen on the wall: it shows the overview whatever its address says, stays signed in when its browser is started anew, and is told of nothing else. */
async function aWallShowsTheOverviewAlone(browser) {
  const screen = await open(browser);
  const {page} = screen;
  await page.goto(`${url}${code(wallLink)}`);
  await page.getByRole("heading", {level: 1, name: "Credence", exact: true}).waitFor();
  await page.getByText("Wait for the writer", {exact: true}).waitFor();
  await page.getByText("Live", {exact: true}).waitFor();
  assert.equal(await page.locator("nav").count(), 0, "it has no menu");
  await assertAccessible(screen, "on the wall");
  await visit(screen, "records/people/1");
  await page.getByText("Wait for the writer", {exact: true}).waitFor();
  const [cookie] = (await screen.context.cookies()).filter(({name}) => name.endsWith("credence-console"));
  assert.ok(cookie.expires > Date.now() / 1000 + 29 * 86_400, "it outlives the browser");
  await page.reload();
  await page.getByText("Wait for the writer", {exact: true}).waitFor();
  const {values} = await call("GET", "sessions");
  const mine = values.find((each) => each.role === "wall");
  assert.equal(mine.idleEndsAt, mine.endsAt);
  noMistakes(screen, "on the wall");
  screen.expected.refusals = true;
  await call("DELETE", `sessions/${mine.id}`);
  await page.getByRole("heading", {name: "By a link"}).waitFor();
  await screen.context.close();
}

/** Somebody else's session is looked at and ended: what it shows stops, and its next call leads to where one signs in. */
async function aSessionIsEnded(browser, who) {
  const other = await open(browser);
  await signInByWallet(other, url, viewerKey);
  const {values} = await call("GET", "sessions");
  assert.ok(values.some((each) => each.role === "viewer" && each.by === "wallet"));
  const signedIn = await call("GET", "audit?act=console_sign_in&limit=1");
  await visit(who, "sessions");
  await who.page.getByText("this one", {exact: true}).waitFor();
  await assertAccessible(who, "on the open sessions");
  const own = values.find((each) => each.role === "admin" && each.lastUsedAt); // the other one was used before the restart
  const [did] = (await call("GET", `audit?limit=1&credential=${encodeURIComponent(own.credential)}`)).values;
  await visit(who, `sessions?session=${own.id}`);
  await who.page.getByRole("link", {name: did.act.replaceAll("_", " ")}).first().waitFor();
  await assertAccessible(who, "on what a session did");
  await visit(who, "sessions");
  const row = values.find((each) => each.id === signedIn.values[0].subject);
  await actByKeyboard(who, `End the session of ${row.name}, signed in ${new Date(row.signedInAt).toISOString()}`, row.name, "End it", "has ended");
  noMistakes(who, "while a session was ended");
  other.expected.refusals = true;
  await other.page.reload();
  await other.page.getByRole("heading", {name: "By a link"}).waitFor();
  await other.context.close();
}

/** The voter opens a market, which an admin freezes and unfreezes again. */
async function aMarketIsFrozenAndUnfrozen(who) {
  const owner = 2; // whose token `voter` is
  await call("POST", `people/${owner}/credit`, {amountWei: "1000000000000000000", confirm: String(owner)});
  assert.equal((await asVoter("markets", {configType: "NORMAL"})).status, 200);
  await visit(who, `records/markets/${owner}`);
  await who.page.getByRole("heading", {level: 2, name: "Trades"}).waitFor();
  await who.page.getByRole("heading", {level: 2, name: "Holders"}).waitFor();
  await assertAccessible(who, "on an open market");
  await actByKeyboard(who, "Freeze…", String(owner), "Freeze it", "is frozen");
  const told = who.page.locator("main strong", {hasText: "The market is frozen."});
  await told.waitFor();
  await assertAccessible(who, "on a frozen market");
  assert.equal(await quote(owner), 409);
  await actByKeyboard(who, "Unfreeze…", String(owner), "Unfreeze it", "takes trades again");
  await told.waitFor({state: "detached"});
  assert.equal(await quote(owner), 200);
  noMistakes(who, "while a market was frozen");
}

/** What members of a ring may lose besides: their keys and their markets, each after a look at how many there are. */
async function aRingLosesKeysAndMarkets(who) {
  const key = await makeKey("of a ring");
  assert.equal(await statusWith(key), 200);
  await visit(who, "integrity/rings?ring=2");
  await who.page.getByRole("heading", {level: 2, name: "Ring 2", exact: true}).waitFor();
  await actByKeyboard(who, "Revoke keys…", "2", "Revoke them", "1 API key revoked.");
  assert.equal(await statusWith(key), 401, "a key of a member");
  await actByKeyboard(who, "Freeze markets…", "2", "Freeze them", "1 market frozen.");
  assert.equal(await quote(2), 409, "the market of a member");
  assert.equal((await newestAct("ring_acted_on")).subject, "ring 2");
  await call("PUT", "markets/2/frozen", {frozen: false, confirm: "2"});
  noMistakes(who, "while a ring lost its keys and markets");
}

/** One key is refused from the answer on, and leaves the list. */
async function aKeyIsRevoked(who) {
  const {page} = who;
  const key = await makeKey("of a bot");
  await visit(who, "clients/keys?profile=2");
  await page.getByRole("table", {name: "API keys, newest first"}).getByText(key.id).waitFor();
  await actByKeyboard(who, `Revoke of a bot, ${key.id}`, key.id, "Revoke it", "The key “of a bot” is revoked.");
  assert.equal(await statusWith(key), 401);
  await page.getByText("Profile 2 has no key in force.").waitFor();
  assert.equal((await newestAct("key_revoked")).profileId, 2);
  noMistakes(who, "while a key was revoked");
}

/** Money for a profile, once for each dialog; then it may have no API keys, and may again. */
async function moneyIsCreditedAndKeysAreForbidden(who) {
  const {page} = who;
  const balance = async () => BigInt((await call("GET", "people/10")).balance?.wei ?? 0);
  const before = await balance();
  await visit(who, "records/people/10?only=money");
  await tabTo(who, "textbox", "Amount in ether");
  await page.keyboard.type("a lot");
  await page.getByText("An amount above 0 such as 0.5").waitFor();
  assert.ok(await page.getByRole("button", {name: "Credit…"}).isDisabled(), "it is no amount");
  await page.getByLabel("Amount in ether").fill("0.5");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").getByRole("heading", {name: `Credit ${(await call("GET", "people/10")).displayName} (profile 10)`}).waitFor();
  await page.keyboard.press("Escape");
  await actByKeyboard(who, "Credit…", "10", "Credit it", "Profile 10 now has");
  const [amount] = /[\d.,]+(?=\u00a0ETH)/.exec(await page.locator(".toast", {hasText: "Profile 10 now has"}).textContent());
  assert.equal(await balance(), before + 5n * 10n ** 17n);
  await statOf(who, "Balance").filter({hasText: `${amount}ETH`}).waitFor();
  await page.getByRole("table", {name: "Time line, newest first"}).getByText("of 500000000000000000 wei").first().waitFor();
  const deposit = await newestAct("deposit");
  assert.deepEqual([deposit.profileId, deposit.callerId], [10, null]);
  assert.match(deposit.credential, /^console session /);

  await actByKeyboard(who, "Forbid API keys…", "10", "Forbid it", "Profile 10 may not have API keys any more.");
  assert.equal((await call("GET", "people/10")).apiAccess, false);
  await statOf(who, "API keys").filter({hasText: "not allowed"}).waitFor();
  await act(who, "Allow API keys…", "Let it", "Profile 10 may have API keys.");
  assert.equal((await call("GET", "people/10")).apiAccess, true);
  assert.equal((await newestAct("api_access_changed")).profileId, 10);
  noMistakes(who, "while money was credited");
}

/** A project is made for an account; another one takes no votes while it is archived. */
async function projectsAreMadeArchivedAndRestored(who) {
  const {page} = who;
  await visit(who, "records/projects");
  await page.getByRole("link", {name: "New project", exact: true}).click();
  await page.getByLabel("Userkey of the account whose project it is").fill("service:github:meadow");
  await page.getByLabel("Name", {exact: true}).fill("Fresh Meadow");
  await page.getByLabel("Ids of categories").fill("one");
  await page.getByText("Numbers with commas between them.").waitFor();
  assert.ok(await page.getByRole("button", {name: "Make the project"}).isDisabled(), "categories have numbers");
  await page.getByLabel("Ids of categories").fill("1");
  await assertAccessible(who, "where a project is made");
  await page.getByRole("button", {name: "Make the project"}).click();
  await page.getByRole("heading", {level: 1, name: "Fresh Meadow"}).waitFor();
  const made = Number(page.url().split("/").at(-1));
  assert.equal((await call("GET", `projects/${made}`)).name, "Fresh Meadow");
  assert.equal((await newestAct("project_created")).subject, `project ${made}`);

  const other = 5;
  const {name, username} = await call("GET", `projects/${other}`);
  await visit(who, `records/projects/${other}`);
  await actByKeyboard(who, "Archive…", username, "Archive it", `${name} is archived.`);
  assert.equal((await (await vote(other)).json()).code, "PROJECT_ARCHIVED");
  await page.locator("main header").getByText("archived", {exact: true}).waitFor();
  await act(who, "Restore…", "Restore it", `${name} takes votes again.`);
  assert.equal((await vote(other)).status, 200);
  for (const done of ["project_archived", "project_restored"]) assert.equal((await newestAct(done)).subject, `project ${other}`);
  await visit(who, "audit?act=project_restored");
  await page.getByRole("table", {name: "Entries of the audit, newest first"}).getByRole("link", {name: `${name} (${other})`}).first().waitFor();
  noMistakes(who, "while projects were made and archived");
}

/** An accusation ends from its page, and one from the list. */
async function slashesAreCancelled(who) {
  const {page} = who;
  const stateOf = async (id) => (await call("GET", "slashes?limit=50")).values.find(({slashId}) => slashId === id).state;
  assert.deepEqual([await stateOf(5), await stateOf(6)], ["OPEN", "OPEN"], "two that the demo leaves open");
  await visit(who, "records/slashes/5");
  await actByKeyboard(who, "Cancel…", "5", "Cancel the slash", "Slash 5 is cancelled.");
  await page.locator("main header").getByText("cancelled", {exact: true}).waitFor();
  await page.getByRole("button", {name: "Cancel…", exact: true}).waitFor({state: "detached"});
  await visit(who, "records/slashes");
  await actByKeyboard(who, "Cancel slash 6", "6", "Cancel the slash", "Slash 6 is cancelled.");
  await page.getByRole("button", {name: "Cancel slash 6", exact: true}).waitFor({state: "detached"});
  assert.deepEqual([await stateOf(5), await stateOf(6)], ["CANCELLED", "CANCELLED"]);
  assert.equal((await newestAct("slash_cancelled")).subject, "slash 6");
  noMistakes(who, "while slashes were cancelled");
}

/** By an admin with a profile: an account of somebody is archived and restored, and somebody is verified as a person until that is withdrawn. The page shows it at once, its time line and the audit who it was. */
async function anAccountIsArchivedAndAPersonVerified(browser) {
  const who = await open(browser);
  const {page} = who;
  await signInByWallet(who, url, adminKey);
  const known = async (userkey) => (await fetch(`${api}/api/v2/internal/users/${userkey}`)).json();
  let id = 4;
  while ((await known(`profileId:${id}`)).user.humanVerificationStatus === "VERIFIED") id += 1;
  const {account} = (await known(`profileId:${id}`)).attestations.find(({service}) => service === "discord");
  await visit(who, `records/people/${id}?only=identity`);
  const line = page.getByRole("table", {name: "Time line, newest first"});
  await actByKeyboard(who, `Archive the account discord ${account}`, account, "Archive it", "is archived.");
  await pairShows(who, "Accounts", `${account} (archived)`);
  await line.getByText("attestation archived", {exact: true}).waitFor();
  assert.equal(await known(`service:discord:${account}`), null, "nobody is found by it");
  await act(who, `Restore the account discord ${account}`, "Restore it", "is restored.");
  await line.getByText("attestation restored", {exact: true}).waitFor();
  assert.equal((await known(`service:discord:${account}`)).profile.id, id);
  for (const done of ["attestation_archived", "attestation_restored"]) {
    const {profileId, callerId} = await newestAct(done);
    assert.deepEqual([profileId, callerId], [id, 1], done);
  }

  const decision = async () => {
    const {status, comment, decidedBy} = await (await fetch(`${api}/api/v2/human-verification/profileId:${id}`)).json();
    return [status, comment, decidedBy];
  };
  assert.ok(await page.getByRole("button", {name: "Verify…", exact: true}).isDisabled(), "it takes a comment");
  await tabTo(who, "textbox", "Comment on the verification");
  await page.keyboard.type("met in person");
  await actByKeyboard(who, "Verify…", String(id), "Verify it", `Profile ${id} is verified.`);
  await pairShows(who, "Verified as a person", "verified");
  assert.deepEqual(await decision(), ["VERIFIED", "met in person", 1]);
  await assertAccessible(who, "on somebody who is verified");
  await line.getByRole("row", {name: /human verified/}).getByRole("link").first().click();
  await page.getByRole("heading", {level: 2, name: /^Entry \d+: human verified$/}).waitFor();
  await page.getByRole("group", {name: "State after"}).filter({hasText: "met in person"}).waitFor();
  await pairShows(who, "Who asked", `${(await call("GET", "people/1")).displayName} (1)`);

  await visit(who, `records/people/${id}?only=identity`);
  await tabTo(who, "textbox", "Comment on the verification");
  await page.keyboard.type("it was somebody else");
  await actByKeyboard(who, "Withdraw…", String(id), "Withdraw it", `Profile ${id} is not verified any more.`);
  await pairShows(who, "Verified as a person", "revoked");
  await line.getByText("verification withdrawn", {exact: true}).waitFor();
  assert.deepEqual(await decision(), ["REVOKED", "it was somebody else", 1]);
  const {profileId, callerId, before, after} = await newestAct("verification_withdrawn");
  assert.deepEqual([profileId, callerId, before, after], [id, 1, "VERIFIED", "it was somebody else"]);
  noMistakes(who, "while an account was archived and a person verified");
  who.expected.refusals = true;
  await page.getByRole("button", {name: "Sign out"}).click();
  await page.getByRole("heading", {name: "By a link"}).waitFor();
  await who.context.close();
}

/** Work that is started and waited for: a verification, and an analysis whose findings are stored. */
async function checksAreStarted(who) {
  const {page} = who;
  await visit(who, "store");
  await act(who, "Verify now…", "Verify", "The verification runs.");
  await page.getByText(/^Verification \d+ found nothing$/).waitFor();
  await page.getByRole("table", {name: "What was checked"}).getByRole("row").nth(1).waitFor();
  await assertAccessible(who, "on what was verified");
  await visit(who, "integrity");
  await act(who, "Analyse…", "Analyse", "The analysis runs.");
  await page.getByText(/^(Nothing was found|\d+ findings?)$/).waitFor();
  await visit(who, "integrity/rings");
  await act(who, "Store findings…", "Store it", " stored: ");
  await page.getByText(/^The newest run ended/).waitFor();
  for (const done of ["verification_started", "rings_stored"]) assert.match((await newestAct(done)).credential, /^console session /, done);
  noMistakes(who, "while checks ran");
}

/** An actor is found by its key and starts afresh; whoever asks it meanwhile is answered. */
async function anActorIsReloaded(who) {
  const voters = async () => (await fetch(`${api}/api/v2/projects/4/voters`)).status;
  assert.equal(await voters(), 200); // it is in memory
  await visit(who, "actors");
  await who.page.getByLabel("Kind and id").fill("project:4");
  await who.page.keyboard.press("Enter");
  await who.page.getByRole("heading", {level: 1, name: "project:4"}).waitFor();
  await actByKeyboard(who, "Reload…", "project:4", "Reload it", "project:4 starts afresh.");
  assert.equal(await voters(), 200);
  noMistakes(who, "while an actor was reloaded");
}

/** The log is held while one reads, says more for a while, and nothing at all only after a word was typed. */
async function theLogIsHeldAndItsLevelChanged(who) {
  const {page} = who;
  const level = async () => (await call("GET", "logs/level")).level;
  const {configured} = await call("GET", "logs/level");
  await visit(who, "logs");
  await page.getByRole("button", {name: "Pause", exact: true}).click();
  await act(who, "Change…", "Change the level", "The log is at debug.");
  assert.equal(await level(), "debug");
  await page.getByText(/held back$/).waitFor();
  await page.getByRole("button", {name: "Go on", exact: true}).click();
  await page.getByText(/held back$/).waitFor({state: "detached"});
  await act(who, `Back to ${configured}…`, "Change the level", "The configured level holds again.");
  assert.equal(await level(), configured);
  await page.getByLabel("Level for a while").selectOption("off");
  await page.getByLabel("Level for a while").focus(); // every line before it is a stop of the tab key
  await actByKeyboard(who, "Change…", "off", "Change the level", "The log is at off.");
  assert.equal(await level(), "off");
  await call("DELETE", "logs/level");
  noMistakes(who, "while the level of the log changed");
}

/** A pause ends where it began, a call of the reference is made and copied, and colours stay as they were chosen. */
async function smallerActs(who) {
  const {page} = who;
  await call("PUT", "store/intake", {open: false, reason: "the test resumes it", minutes: 5});
  await visit(who, "store");
  await page.getByText("the test resumes it").waitFor();
  await act(who, "Resume…", "Resume", "Writes are taken again.");
  await page.getByText("Writes are taken", {exact: true}).waitFor();

  await visit(who, "reference/getOverview");
  await page.getByRole("button", {name: "Call it", exact: true}).click();
  await page.getByRole("group", {name: "Answer", exact: true}).filter({hasText: '"ready": true'}).waitFor();
  await who.context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.getByRole("button", {name: "Copy", exact: true}).click();
  await page.locator(".toast", {hasText: "Copied."}).waitFor();
  assert.match(await page.evaluate(() => navigator.clipboard.readText()), /^curl -s '.*\/admin\/api\/v1\/overview' -H /);

  const isIn = (theme) => page.waitForFunction((name) => document.documentElement.dataset.theme === name, theme);
  await page.getByLabel("Colours").selectOption("light");
  await isIn("light");
  await page.reload();
  await page.getByLabel("Colours").waitFor();
  await isIn("light");
  await page.getByLabel("Colours").selectOption("system");
  await isIn("dark");
  noMistakes(who, "while smaller acts were done");
}

/** Every member of a ring loses the right to keys after a look at who has it, and the ring is marked. */
async function aRingIsActedOnAndMarked(who) {
  const {page} = who;
  await visit(who, "integrity/rings?ring=1");
  await page.getByRole("heading", {level: 2, name: "Ring 1", exact: true}).waitFor();
  await page.getByRole("heading", {level: 2, name: "Votes that members cast together"}).waitFor();
  await assertAccessible(who, "on a ring");
  await page.getByRole("button", {name: "Revoke keys…"}).click();
  await page.locator(".toast", {hasText: "No member has an API key."}).waitFor();
  await actByKeyboard(who, "Take API access…", "1", "Take it", "1 profile without API access");
  assert.equal((await call("GET", "people/12")).apiAccess, false);
  await page.getByRole("button", {name: "Acted on…"}).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Reason, for the audit log").fill("one hand");
  await dialog.getByRole("button", {name: "Mark it"}).click();
  await page.getByText("Marked last by").waitFor();
  const [ring] = (await call("GET", "integrity/rings?mark=acted_on")).values;
  assert.deepEqual([ring.ringId, ring.remark], [1, "one hand"]);
  noMistakes(who, "while a ring was acted on");
}

const statOf = ({page}, label) => page.locator(".stat", {has: page.locator("dt", {hasText: label})}).locator("dd").first();

/** An address of a section shows it, and its links lead to others. */
async function theManualOpensAtASection(who) {
  const isAt = (name) => who.page.waitForFunction((text) => {
    const {activeElement: at} = document;
    const {top, bottom} = at.getBoundingClientRect();
    return at.matches("h2, h3") && at.textContent === text && top >= 0 && bottom <= innerHeight;
  }, name);
  await visit(who, "manual/credenceslowvotes");
  await isAt("CredenceSlowVotes");
  await who.page.locator("h3#manual-credenceslowvotes + p").getByRole("link", {name: "the load"}).click();
  await isAt("CredenceActorsBehind");
  assert.ok(who.page.url().endsWith("#/manual/credenceactorsbehind"));
  noMistakes(who, "in the manual");
}

/** Votes are a part of the time line; who invited somebody, and their accounts, stand above it. */
async function whatIsKnownOfTheVoter(who) {
  const {name} = await call("GET", `projects/${project}`);
  await visit(who, "records/people/2?only=votes");
  const vote_ = who.page.getByRole("table", {name: "Time line, newest first"}).getByRole("row").nth(1);
  await vote_.getByText("bullish on", {exact: false}).waitFor();
  await vote_.getByRole("link", {name, exact: true}).waitFor();
  assert.match(await vote_.textContent(), /, weight \d: seen at once/);
  const {inviterUser, attestations} = await (await fetch(`${api}/api/v2/internal/users/profileId:2`)).json();
  for (const [label, text] of [["Invited by", inviterUser?.displayName ?? "–"], ...attestations.map(({account}) => ["Accounts", account])]) await pairShows(who, label, text);
}

async function aVoteAppearsWithinASecond(who) {
  await visit(who, `records/projects/${project}`);
  await who.page.getByText("Live", {exact: true}).waitFor();
  const shown = statOf(who, "Bullish now");
  const before = Number(await shown.textContent());
  assert.equal((await vote(project)).status, 200);
  await who.page.waitForFunction(([label, value]) => [...document.querySelectorAll(".stat")]
    .some((each) => each.querySelector("dt").textContent === label && each.querySelector("dd").textContent === value),
  ["Bullish now", String(before + 1)], {timeout: 1000 * slack, polling: 20});
  const {displayName} = await call("GET", "people/2"); // whose token `voter` is
  const first = who.page.getByRole("table", {name: "Votes, newest first"}).getByRole("row").nth(1);
  await first.getByText("seen at once", {exact: true}).waitFor();
  const {values: [cast]} = await call("GET", `votes?projectId=${project}&limit=1`);
  assert.deepEqual([cast.profileId, cast.side, cast.reason], [2, "bullish", "seen at once"]);
  assert.deepEqual((await first.getByRole("cell").allTextContents()).slice(1), [displayName, "bullish", String(cast.weight), "seen at once"]);
  await whatIsKnownOfTheVoter(who);
  noMistakes(who, "while a vote came");
}

async function aViewerNeitherSeesNorCallsWrites(browser) {
  const viewer = await open(browser);
  await signInByWallet(viewer, url, viewerKey);
  for (const view of all) {
    await visit(viewer, view);
    const acts = (await viewer.page.locator("main button").allTextContents()).filter((text) => text.endsWith("…"));
    assert.deepEqual(acts, [], `acts that a viewer sees on ${view}`);
    if (/^(reference|manual)/.test(view)) continue; // texts
    const stay = await viewer.page.locator("main .table-scroll").evaluateAll((tables) => tables.filter((each) => !each.nextElementSibling?.querySelector(".take")).map((each) => each.ariaLabel));
    assert.deepEqual(stay, [], `lists that cannot be taken along of ${view}`);
  }
  await visit(viewer, "sessions");
  await viewer.page.getByText("this one", {exact: true}).waitFor();
  await viewer.page.getByText("A session ends 1 h after its last call, and 12 h after it began; one for a wall 30 d after it began.").waitFor();
  noMistakes(viewer, "of the viewer");
  viewer.expected.refusals = true;
  const document_ = await call("GET", "openapi.json");
  let refused = 0;
  for (const [path, methods] of Object.entries(document_.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      if (!["operator", "admin"].includes(operation["x-role"])) continue;
      const status = await viewer.page.evaluate(async ([verb, to]) => {
        const {csrfToken} = await (await fetch("admin/api/v1/session")).json();
        return (await fetch(to, {method: verb, headers: {"X-CSRF-Token": csrfToken, "Content-Type": "application/json"}, body: "{}"})).status;
      }, [method.toUpperCase(), path.slice(1).replaceAll(/{\w+}/g, "1")]);
      assert.equal(status, 403, `a viewer may not ${method} ${path}`);
      refused += 1;
    }
  }
  assert.ok(refused >= 10, "there are writes to be refused");
  await viewer.context.close();
}

/** `what`: restart, kill (-9), start, or follow: a restart by which it follows a chain that no node tells of; or “stop the database”, “start the database”. */
async function server(what) {
  writeFileSync(join(restarts, "asking"), what);
  renameSync(join(restarts, "asking"), join(restarts, "ask"));
  for (let waited = 0; !existsSync(join(restarts, "done")); waited += 50) {
    assert.ok(waited < 60_000 * slack, `${what} of the server is not done`);
    await new Promise((done) => setTimeout(done, 50));
  }
  rmSync(join(restarts, "done"));
}

const numbers = ({page}) => page.locator("main tbody tr td:first-child").allTextContents().then((each) => each.map(Number));

/** The audit is watched while the server is started again, and entries are made before the page is back. */
async function aRestartLosesNoEvent(who) {
  await visit(who, "audit");
  const before = Math.max(...(await numbers(who)));
  who.expected.refusals = true;
  await server("restart");
  await call("PUT", "logs/level", {level: "debug", minutes: 1});
  await call("DELETE", "logs/level");
  await who.page.getByText("Live", {exact: true}).waitFor();
  await call("PUT", "logs/level", {level: "debug", minutes: 1});
  await call("DELETE", "logs/level");
  const newest = (await call("GET", "audit?limit=1")).values[0].number;
  assert.ok(newest >= before + 4, "each of these acts is recorded");
  await who.page.waitForFunction((number) => [...document.querySelectorAll("main tbody tr td:first-child")].some((each) => Number(each.textContent) === number), newest);
  const shown = (await numbers(who)).filter((each) => each >= before);
  assert.deepEqual(shown, Array.from({length: newest - before + 1}, (_, i) => newest - i), "no entry is missing, none is there twice");
  who.expected.refusals = false;
  await visit(who, "overview");
  noMistakes(who, "after the restart");
}

/** Figures from before the restart, the acts and the restart itself; a moment has an address, and a chart is looked at more closely. */
async function theHistoryOutlivesARestart(who) {
  const {page} = who;
  await visit(who, "history?last=6h");
  await page.locator("figure.chart").nth(7).waitFor();
  const happened = page.getByRole("table", {name: "What happened, newest first"});
  for (const text of ["PUT store/intake", "The server stopped", "The server started as version"]) await happened.getByText(text).first().waitFor();
  await page.getByText("It outlives restarts.").waitFor();
  await happened.getByRole("row", {name: /PUT store.intake/}).getByRole("link").first().click();
  await page.getByRole("heading", {level: 2, name: /^At /}).waitFor();
  assert.match(page.url(), /moment=\d+/);
  await page.getByRole("link", {name: "The audit around it"}).waitFor();
  await assertAccessible(who, "on a moment of the history");
  const shown = () => new URLSearchParams(page.url().split("?")[1]);
  const before = shown();
  await tabTo(who, "link", "Zoom in");
  await page.keyboard.press("Enter");
  await page.waitForFunction((from) => !location.hash.includes(`from=${from}`), before.get("from"));
  assert.ok(shown().get("to") - shown().get("from") < before.get("to") - before.get("from"), "zooming in shows less time");
  const plot = page.locator(".u-over").first();
  await plot.scrollIntoViewIfNeeded();
  const box = await plot.boundingBox();
  const zoomed = shown();
  await page.mouse.move(box.x + box.width * 0.25, box.y + 20);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.75, box.y + 20, {steps: 5});
  await page.mouse.up();
  await page.waitForFunction((from) => !location.hash.includes(`from=${from}`), zoomed.get("from"));
  await visit(who, "history");
  await page.getByRole("table", {name: "Routes, the busiest first"}).getByRole("link").first().click();
  await page.waitForFunction(() => document.querySelectorAll("figure.chart").length === 3);
  await page.getByLabel("Route", {exact: true}).selectOption("");
  await page.locator("figure.chart").nth(7).waitFor();

  const inTheMiddle = async () => page.locator(".u-over").first().click({position: {x: (await page.locator(".u-over").first().boundingBox()).width / 2, y: 20}});
  await inTheMiddle();
  await page.getByRole("heading", {level: 2, name: /^At /}).waitFor();
  await visit(who, "overview");
  await inTheMiddle();
  await page.waitForFunction(() => /^#\/history\?.*moment=\d+/.test(location.hash));
  await page.getByRole("heading", {level: 2, name: /^At /}).waitFor();
  const minute = Math.floor(Date.now() / 60_000 - 1) * 60_000;
  await page.getByRole("textbox", {name: "Go to (UTC)"}).fill(new Date(minute).toISOString().slice(11, 16));
  await page.keyboard.press("Enter");
  await page.waitForFunction((at) => location.hash.includes(`moment=${at}`), minute);
  await page.getByRole("link", {name: "The log around it"}).click();
  await page.getByRole("heading", {level: 1, name: "Logs"}).waitFor();
  noMistakes(who, "in the history");
}

/** Whether the first chart has a line in the colour of marks across this share of its time. */
const chartHasMarkAt = ({page}, share) => page.waitForFunction((part) => {
  const [over, drawn] = [".u-over", ".u-wrap canvas"].map((each) => document.querySelector(each));
  if (!over || !drawn) return false;
  const {width, height} = drawn;
  const copy = Object.assign(document.createElement("canvas"), {width, height}).getContext("2d", {willReadFrequently: true});
  copy.drawImage(drawn, 0, 0);
  const wanted = getComputedStyle(document.documentElement).getPropertyValue("--warn").trim().match(/[0-9a-f]{2}/gi).map((each) => parseInt(each, 16));
  const {data} = copy.getImageData(Math.round((over.offsetLeft + part * over.clientWidth) * devicePixelRatio) - 2, 0, 5, height);
  let marked = 0;
  for (let at = 0; at < data.length; at += 4) if (data[at + 3] > 64 && wanted.every((value, i) => Math.abs(data[at + i] - value) < 8)) marked += 1;
  return marked > over.clientHeight / 4; // the line is dashed
}, share);

/** The database goes away and comes back: the history tells when the alert began and ended, in its table without anybody reading it anew, and in its charts. */
async function anAlertBeginsAndEnds(who) {
  const {page} = who;
  await visit(who, "history?last=5m");
  const happened = (name) => page.getByRole("table", {name: "What happened, newest first"}).getByRole("row", {name}).first();
  who.expected.refusals = true;
  await server("stop the database");
  await happened(/alert\s*CredenceCannotWrite: /).waitFor();
  await server("start the database");
  await happened(/alert over\s*CredenceCannotWrite is over/).waitFor();
  who.expected.refusals = false;

  const {marks} = await call("GET", `overview/history?from=${Date.now() - 3_600_000}&to=${Date.now()}`);
  const [began, over] = ["alert", "alertOver"].map((kind) => marks.findLast((each) => each.kind === kind && each.text.startsWith("CredenceCannotWrite")).at);
  assert.ok(began < over);
  const [from, to] = [began - 30_000, over + 2_000];
  await page.waitForFunction(async (until) => (await (await fetch("admin/api/v1/overview/history")).json()).values.at(-1).at > until, to + 2_000, {polling: 500}); // no value of that time comes any more
  const {values} = await call("GET", `overview/history?from=${from}&to=${to}`);
  const [first, last] = [values[0].at, values.at(-1).at];
  await visit(who, `history?from=${from}&to=${to}`);
  for (const at of [began, over]) await chartHasMarkAt(who, (at - first) / (last - first));
  await assertAccessible(who, "on a history with an alert");
  await happened(/alert\s*CredenceCannotWrite: /).getByRole("link").first().click();
  await page.getByRole("heading", {level: 2, name: /^At /}).waitFor();
  assert.match(page.url(), new RegExp(`moment=${began}`));
  await visit(who, "overview");
  noMistakes(who, "after an alert");
}

/** Failed texts are read again, where a chain is followed; no node answers here, so there are no events. */
async function failedTextsAreReadAgain(who) {
  who.expected.refusals = true;
  await server("follow");
  await visit(who, "chain");
  await who.page.getByText("no node answers", {exact: true}).waitFor();
  await who.page.getByText("Live", {exact: true}).waitFor();
  who.expected.refusals = false;
  await assertViewsIn(who, ["chain"], [narrow, large]);
  await act(who, "Read failed texts again…", "Try them again", "Failed texts are tried again.");
  noMistakes(who, "while failed texts were read again");
}

/** What nobody counted while the server was gone is no line at 0. */
async function aKillLeavesAGapInCharts(who) {
  await visit(who, "overview");
  await who.page.getByText("Requests as a table", {exact: true}).click();
  await who.page.locator("figure tbody tr").nth(2).waitFor();
  who.expected.refusals = true;
  await server("kill");
  await who.page.waitForFunction(() => Number(/Last known (\d+)\s+s\s+ago/.exec(document.querySelector("main").textContent)?.[1]) >= 6);
  await server("start");
  await who.page.waitForFunction(() => {
    const known = [...document.querySelectorAll("figure tbody tr")].map((row) => [...row.cells].slice(1).some((each) => each.textContent !== "–"));
    const gap = known.lastIndexOf(false);
    return gap > 0 && known[gap - 1] && known[gap + 1]; // the newest come first
  });
  who.expected.refusals = false;
  await visit(who, "history");
  await who.page.getByRole("row", {name: /alert\s*CredenceLastRunCutOff: /}).waitFor();
  noMistakes(who, "after the kill");
}

async function worksUnderAPrefix(browser) {
  const proxy = await prefixProxy(url, "/ops/credence/");
  const who = await open(browser);
  await signInByLink(who, `${proxy.url}${code(link())}`);
  for (const [view, title] of pages) {
    await visit(who, view);
    assert.equal(await who.page.locator("main h1").textContent(), title);
  }
  await who.page.getByText("Live", {exact: true}).waitFor();
  await who.page.reload();
  await who.page.getByRole("heading", {level: 1, name: pages.at(-1)[1]}).waitFor();
  noMistakes(who, "under a prefix");

  // Nobody answers any more: nothing that was green stays so.
  await visit(who, "overview");
  await who.page.getByText("Ready", {exact: true}).waitFor();
  who.expected.refusals = true;
  proxy.close();
  await who.page.locator("h1 ~ .row", {hasText: "Last known"}).waitFor();
  await who.page.locator("main[data-silent=yes]").waitFor();
  assert.equal(await who.page.getByText("Ready", {exact: true}).count(), 0);
  assert.equal(await who.page.getByText("Nothing needs to be done").count(), 0);
  await assertAccessible(who, "while nobody answers");
  await who.context.close();
}

async function signsOut(who) {
  await who.page.getByRole("button", {name: "Sign out"}).click();
  await who.page.getByRole("heading", {name: "By a link"}).waitFor();
  who.expected.refusals = true;
  await who.page.reload();
  await who.page.getByRole("heading", {name: "By a link"}).waitFor();
  await assertAccessible(who, "where one signs in");
}

const browser = await launch();
try {
  const operator = await open(browser);
  operator.expected.refusals = true;
  const used = link();
  await operator.page.goto(`${url}#link=not-a-code`);
  await operator.page.getByRole("alert").waitFor();
  await signInByLink(operator, `${url}${code(used)}`);
  operator.expected.refusals = false;
  operator.mistakes.length = 0;
  const steps = [
    ["a wall", () => aWallShowsTheOverviewAlone(browser)],
    ["a ring is acted on", () => aRingIsActedOnAndMarked(operator)],
    ["dangerous acts by keyboard", () => dangerousActsByKeyboard(operator)],
    ["a line of the log", () => aLineLeadsToItsRequest(operator)],
    ["a market is frozen", () => aMarketIsFrozenAndUnfrozen(operator)],
    ["a ring loses keys and markets", () => aRingLosesKeysAndMarkets(operator)],
    ["a key is revoked", () => aKeyIsRevoked(operator)],
    ["money and access to keys", () => moneyIsCreditedAndKeysAreForbidden(operator)],
    ["projects", () => projectsAreMadeArchivedAndRestored(operator)],
    ["slashes", () => slashesAreCancelled(operator)],
    ["grants and merges", () => grantsAndMergesByKeyboard(operator)],
    ["archiving", () => aReviewAndAProfileAreArchived(operator)],
    ["an account and a verification", () => anAccountIsArchivedAndAPersonVerified(browser)],
    ["a time line", () => aPersonIsFoundWithATimeLine(operator)],
    ["the manual", () => theManualOpensAtASection(operator)],
    ["a vote appears", () => aVoteAppearsWithinASecond(operator)],
    ["checks", () => checksAreStarted(operator)],
    ["an actor is reloaded", () => anActorIsReloaded(operator)],
    ["the log", () => theLogIsHeldAndItsLevelChanged(operator)],
    ["smaller acts", () => smallerActs(operator)],
    ["a viewer", () => aViewerNeitherSeesNorCallsWrites(browser)],
    ["a prefix", () => worksUnderAPrefix(browser)],
    ["a restart", () => aRestartLosesNoEvent(operator)],
    ["an alert", () => anAlertBeginsAndEnds(operator)],
    ["the history", () => theHistoryOutlivesARestart(operator)],
    ["newcomers", () => newcomersFindTheirWay(operator)],
    ["what the search knows", () => theSearchKnowsNumbersAccountsAndClients(operator)],
    ["times", () => timesAreTyped(operator)],
    ["a list is taken along", () => aListIsTakenAlong(operator)],
    ["a session is ended", () => aSessionIsEnded(browser, operator)],
    ["every page at 320 px", () => everyPageOnASmallScreen(operator)],
    ["every page in both themes", () => everyPageInBothThemes(operator)],
    ["a chain", () => failedTextsAreReadAgain(operator)],
    ["a kill leaves a gap", () => aKillLeavesAGapInCharts(operator)],
    ["signing out", () => signsOut(operator)],
  ];
  for (const [name, step] of steps) {
    try {
      await step();
    } catch (error) {
      error.message = `${name}: ${error.message}`;
      throw error;
    }
  }
  console.log("console: all is well");
} finally {
  await browser.close();
}

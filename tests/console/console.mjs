// The operator console of a real server in a real browser, as its operators use it; see tests/system/console_test.cpp, which runs this.
import assert from "node:assert/strict";
import {existsSync, readFileSync, renameSync, rmSync, writeFileSync} from "node:fs";
import {join} from "node:path";
import {assertAccessible, assertViewsIn, environment, large, launch, narrow, noMistakes, open, signInByLink, signInByWallet, slack, tabTo, visit, wide} from "./browser.mjs";
import {prefixProxy} from "./proxy.mjs";
import {all, pages} from "./views.mjs";

const url = `${environment("CREDENCE_CONSOLE_URL")}/`; // of the admin listener
const links = environment("CREDENCE_CONSOLE_LINKS").split(" "); // of an admin, each good once
const wallLink = environment("CREDENCE_WALL_LINK"); // of the role wall
const viewerKey = environment("CREDENCE_VIEWER_KEY"); // of the wallet of a profile in auth.viewers
const api = environment("CREDENCE_URL"); // the public API
const voter = environment("CREDENCE_VOTER_TOKEN"); // of a profile that has no vote on `project` in a period that just began
const admin = environment("CREDENCE_ADMIN_TOKEN"); // for the admin API
const project = Number(environment("CREDENCE_PROJECT"));
const restarts = environment("CREDENCE_RESTARTS"); // a folder: a file `ask` in it has done to the server what it says, and is replaced by `done`

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

/** What an admin does to a profile: it gets XP, and somebody whom `voter` has reviewed becomes a part of it. */
async function grantsAndMergesByKeyboard(who) {
  const {page} = who;
  const before = (await call("GET", "people/1")).xp;
  await visit(who, "records/people/1");
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
  const reviewed = await fetch(`${api}/api/v2/reviews/create`, {
    method: "POST", headers: {"Content-Type": "application/json", Authorization: `Bearer ${voter}`},
    body: JSON.stringify({subject: `address:${address}`, score: "positive", comment: "kept its word"}),
  });
  assert.equal(reviewed.status, 200, await reviewed.text());
  await tabTo(who, "textbox", "Userkey of the other person");
  await page.keyboard.type(`address:${address}`);
  await actByKeyboard(who, "Merge…", "1", "Merge them", "is a part of profile 1 now");
  assert.ok((await call("GET", "people/1")).addresses.some((each) => each.toLowerCase() === address));
  noMistakes(who, "while granting and merging");
}

/** A review is taken down from the time line of whom it is about, and a profile is archived and restored. */
async function aReviewAndAProfileAreArchived(who) {
  const {page} = who;
  const written = await fetch(`${api}/api/v2/reviews/create`, {
    method: "POST", headers: {"Content-Type": "application/json", Authorization: `Bearer ${voter}`},
    body: JSON.stringify({subject: "profileId:9", score: "negative", comment: "a review to be taken down"}),
  });
  const {id} = await written.json();
  const stands = async () => !(await (await fetch(`${api}/api/v2/reviews/${id}`)).json()).archived;
  await visit(who, "records/people/9?only=reviews");
  await page.getByText("a review to be taken down").waitFor();
  await assertAccessible(who, "on the reviews of somebody");
  await actByKeyboard(who, `Archive review ${id}`, String(id), "Archive it", "is archived");
  assert.ok(!await stands(), "it is archived");
  await page.getByRole("button", {name: `Restore review ${id}`, exact: true}).click();
  await page.getByRole("button", {name: "Restore it", exact: true}).click();
  await page.locator(".toast", {hasText: `Review ${id} is restored.`}).waitFor();
  assert.ok(await stands(), "it is restored");
  await actByKeyboard(who, "Archive…", "9", "Archive it", "Profile 9 is archived.");
  assert.equal((await call("GET", "people/9")).archived, true);
  await page.getByRole("button", {name: "Restore…", exact: true}).click();
  await page.getByRole("button", {name: "Restore it", exact: true}).click();
  await page.locator(".toast", {hasText: "Profile 9 is live again."}).waitFor();
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

const vote = (on) => fetch(`${api}/api/v2/projects/${on}/votes`, {
  method: "POST", headers: {"Content-Type": "application/json", Authorization: `Bearer ${voter}`}, body: JSON.stringify({voteType: "BULLISH", voteReason: "seen at once"}),
});

/** The voter opens a market, which an admin freezes and unfreezes again. */
async function aMarketIsFrozenAndUnfrozen(who) {
  const owner = 2; // whose token `voter` is
  const asVoter = (path, body) => fetch(`${api}/api/v2/markets${path}`, {
    method: "POST", headers: {"Content-Type": "application/json", Authorization: `Bearer ${voter}`}, body: JSON.stringify(body),
  });
  const quote = async () => (await asVoter(`/${owner}/quote`, {action: "buy", voteType: "trust", votes: 1})).status;
  await call("POST", `people/${owner}/credit`, {amountWei: "1000000000000000000", confirm: String(owner)});
  assert.equal((await asVoter("", {configType: "NORMAL"})).status, 200);
  await visit(who, `records/markets/${owner}`);
  await who.page.getByRole("heading", {level: 2, name: "Trades"}).waitFor();
  await who.page.getByRole("heading", {level: 2, name: "Holders"}).waitFor();
  await assertAccessible(who, "on an open market");
  await actByKeyboard(who, "Freeze…", String(owner), "Freeze it", "is frozen");
  const told = who.page.locator("main strong", {hasText: "The market is frozen."});
  await told.waitFor();
  await assertAccessible(who, "on a frozen market");
  assert.equal(await quote(), 409);
  await actByKeyboard(who, "Unfreeze…", String(owner), "Unfreeze it", "takes trades again");
  await told.waitFor({state: "detached"});
  assert.equal(await quote(), 200);
  noMistakes(who, "while a market was frozen");
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
  for (const [name_, value] of [["Invited by", inviterUser?.displayName ?? "–"], ...attestations.map(({account}) => ["Accounts", account])])
    await who.page.waitForFunction(([label, text]) => [...document.querySelectorAll("dl.pairs dt")].some((each) => each.textContent === label && each.nextElementSibling.textContent.includes(text)), [name_, value]);
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

/** `what`: restart, kill (-9) or start. */
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
  await visit(who, "overview");
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
    ["grants and merges", () => grantsAndMergesByKeyboard(operator)],
    ["archiving", () => aReviewAndAProfileAreArchived(operator)],
    ["a time line", () => aPersonIsFoundWithATimeLine(operator)],
    ["the manual", () => theManualOpensAtASection(operator)],
    ["a vote appears", () => aVoteAppearsWithinASecond(operator)],
    ["a viewer", () => aViewerNeitherSeesNorCallsWrites(browser)],
    ["a prefix", () => worksUnderAPrefix(browser)],
    ["a restart", () => aRestartLosesNoEvent(operator)],
    ["the history", () => theHistoryOutlivesARestart(operator)],
    ["newcomers", () => newcomersFindTheirWay(operator)],
    ["times", () => timesAreTyped(operator)],
    ["a list is taken along", () => aListIsTakenAlong(operator)],
    ["a session is ended", () => aSessionIsEnded(browser, operator)],
    ["every page at 320 px", () => everyPageOnASmallScreen(operator)],
    ["every page in both themes", () => everyPageInBothThemes(operator)],
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

// Makes the pictures of docs/console.md from a running demo: `node tests/console/pictures.mjs API LINK DEMO_JSON [FOLDER]`, with the address of
// the API, the link of the console and the file that the screen of ops/run names. Ten people use the API meanwhile, as the charts of a
// server that nobody calls are empty: for as long as those charts look back, or the seconds in PICTURES_AFTER. With pngquant on the PATH
// the files get smaller.
import assert from "node:assert/strict";
import {spawnSync} from "node:child_process";
import {mkdirSync, readFileSync} from "node:fs";
import {join} from "node:path";
import {fileURLToPath} from "node:url";
import {assertViewsIn, large, launch, narrow, noMistakes, open, signInByLink, visit} from "./browser.mjs";

const [api, link, file, folder = fileURLToPath(new URL("../../docs/console/", import.meta.url))] = process.argv.slice(2);
assert.ok(api && link && file, "usage: pictures.mjs API LINK DEMO_JSON [FOLDER]");
const {accounts, projectIds} = JSON.parse(readFileSync(file, "utf8"));
const trafficSeconds = Number(process.env.PICTURES_AFTER ?? 300);

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

async function ask(path, {token, body} = {}) {
  const answer = await fetch(`${api}/api/${path}`, {
    method: body ? "POST" : "GET",
    headers: {"X-Service-Client": "pictures@1.0", ...(token && {Authorization: `Bearer ${token}`}), ...(body && {"Content-Type": "application/json"})},
    body: body && JSON.stringify(body),
  });
  return answer.json();
}

const reads = ["v2/internal/listings?limit=20", "v2/users/search?query=ada&limit=5", "v2/score/userkey?userkey=profileId:7", "v2/xp/tips?limit=20", "v1/markets/search?limit=5"];

/** Somebody who looks around, and votes, tips and trades now and then, until `over`. */
async function uses({token, profileId}, number, markets, over) {
  for (let n = number; !over(); n += 1) {
    const projectId = projectIds[n % projectIds.length];
    await ask(reads[n % reads.length]);
    const {userVote} = await ask(`v2/projects/votes/balance?projectId=${projectId}`, {token});
    if (n % 3 === 0 && userVote === null) await ask(`v2/projects/${projectId}/votes`, {token, body: {voteType: n % 4 ? "BULLISH" : "BEARISH", voteReason: "ships every week"}});
    if (n % 7 === 0) await ask("v2/xp/tip", {token, body: {receiverUserkey: `profileId:${profileId % 9 + 1}`, amount: 1}});
    if (n % 5 === 0 && markets.length) await ask(`v2/markets/${markets[n % markets.length]}/trades`, {token, body: {action: "buy", voteType: "trust", votes: 1}});
    await pause(2000 + (n * 137) % 2000);
  }
}

/** What an operator has done, so that there is something to see of it. */
async function acts({page}) {
  for (const path of ["store/verifications", "integrity"]) {
    const status = await page.evaluate(async (to) => {
      const {csrfToken} = await (await fetch("admin/api/v1/session")).json();
      return (await fetch(`admin/api/v1/${to}`, {method: "POST", headers: {"X-CSRF-Token": csrfToken}})).status;
    }, path);
    assert.equal(status, 202, path);
  }
}

/** Twelve pages, each checked in sizes and themes before it is taken. */
async function takePictures(who) {
  mkdirSync(folder, {recursive: true});
  const {projects: [best]} = await ask("v2/internal/listings?limit=1");
  const pictures = [
    ["overview", "dark"], ["periods", "light"], ["actors", "dark"], ["store", "light"], [`records/projects/${best.id}`, "dark"], ["logs", "light"],
    ["wall", "dark"], ["history", "light"], ["records/people/1", "dark"], ["clients", "light"], ["audit", "dark"], ["integrity", "light"],
  ];
  await assertViewsIn(who, pictures.map(([view]) => view), [narrow, large]);
  const files = pictures.map(([view]) => join(folder, `${view.replace(/\/\d+$/, "").replaceAll("/", "-")}.png`));
  for (const [n, [view, colorScheme]] of pictures.entries()) {
    await who.page.emulateMedia({colorScheme});
    await visit(who, view);
    await who.page.screenshot({path: files[n]});
  }
  noMistakes(who, "while pictures were taken");
  const smaller = spawnSync("pngquant", ["--force", "--strip", "--skip-if-larger", "--ext", ".png", ...files], {encoding: "utf8"});
  if (smaller.status !== 0) console.error(smaller.error ? "pngquant is not there: the files stay as they are" : smaller.stderr);
}

const browser = await launch();
let ended = false;
const {data: opened} = await ask("v1/markets/search?limit=10");
const people = accounts.map((account, n) => uses(account, n, opened.map((market) => market.marketProfileId), () => ended));
try {
  const operator = await open(browser);
  operator.expected.refusals = true; // the page asks who is signed in: nobody yet
  await signInByLink(operator, link);
  operator.expected.refusals = false;
  await acts(operator);
  await pause(trafficSeconds * 1000);
  await takePictures(operator);
} finally {
  ended = true;
  await Promise.all(people);
  await browser.close();
}

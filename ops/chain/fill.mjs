// Makes a local chain tell the story of story.mjs, once; prints the hash of a transaction with a review in it. Each event
// has a block of its own, so the chain's height tells how far an earlier run came.
//
//     node fill.mjs URL    URL of the node; standard input: demo.json, whose people take part, or nothing
import { readFileSync } from "node:fs";
import { encodeEventTopics, encodeFunctionData, encodeFunctionResult, keccak256, parseAbiItem, size, slice, toHex } from "viem";
import { functions } from "./abi.mjs";
import { contracts } from "./contracts.mjs";
import { inputOf, parsed } from "./events.mjs";
import { install } from "./install.mjs";
import { answers, foundersOf, lastIds, story } from "./story.mjs";

const [url] = process.argv.slice(2);
const sender = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"; // sends the events that name no writer

async function ask(method, params) {
  const answer = await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  const { result, error } = await answer.json();
  if (error) throw new Error(`${method}: ${error.message}`);
  return result;
}

async function firstReview() {
  const [topic] = encodeEventTopics({ abi: [parsed.find((each) => each.event.name === "ReviewCreated").event] });
  const logs = await ask("eth_getLogs", [{ fromBlock: "0x0", toBlock: "latest", address: contracts.review, topics: [topic] }]);
  return logs[0].transactionHash;
}

/** The transactions of the whole story. */
function transactions(people, now) {
  const out = story(people, now).map(([contract, name, args]) => {
    const data = inputOf(contract, name, args);
    const author = people.find((who) => Object.values(args).includes(who.address) || args.authorProfileId === who.profileId);
    return { from: author?.address ?? sender, to: contracts[contract], gas: "0x100000", data };
  });
  const missing = parsed.filter((each) => !each.seen).map((each) => `${each.contract}.${each.event.name}`);
  if (missing.length) throw new Error(`the story lacks ${missing}`);
  return out;
}

/** Has a contract return this to that call, as its code would keep it; that needs no block of its own. */
async function answer(contract, args, result) {
  const abi = [parseAbiItem(`function ${functions[contract].replace(" returns ", " view returns ")}`)];
  const first = BigInt(keccak256(encodeFunctionData({ abi, args })));
  const bytes = encodeFunctionResult({ abi, result });
  const put = (place, word) => ask("anvil_setStorageAt", [contracts[contract], toHex(BigInt.asUintN(256, place), { size: 32 }), word]);
  await put(first, toHex(size(bytes) + 1, { size: 32 }));
  for (let i = 0; i < size(bytes); i += 32) await put(first + BigInt(i + 1), slice(bytes, i, i + 32));
}

await install(ask, lastIds);
const demo = readFileSync(0, "utf8");
const accounts = demo ? JSON.parse(demo).accounts : [];
const wallets = await ask("eth_accounts", []);
const now = Number((await ask("eth_getBlockByNumber", ["0x0", false])).timestamp);
const height = Number(await ask("eth_blockNumber", []));
const people = accounts.length >= 3 ? accounts : foundersOf(wallets);
for (const each of answers(people, now)) await answer(...each);
for (const each of transactions(people, now).slice(height))
  await ask("eth_sendTransaction", [each]);
console.log(await firstReview());

// What to send to a contract of contracts.mjs so that it emits an event of abi.mjs.
//
//     node events.mjs    standard input: [[contract, event, {argument: value}], …]; prints the contract's address and the input of each
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { encodeAbiParameters, encodeEventTopics, parseAbiItem } from "viem";
import { declared } from "./abi.mjs";
import { contracts } from "./contracts.mjs";

/** All of them, by contract; `seen`: an input was made for it. */
export const parsed = Object.entries(declared).flatMap(([contract, all]) =>
  all.map((each) => ({ contract, event: parseAbiItem(`event ${each}`), seen: false })),
);

/** Names are not enough: two events of one contract may share theirs. */
function declarationOf(contract, name, args) {
  const found = parsed.find(
    (each) =>
      (each.contract === contract || each.contract === "any") &&
      each.event.name === name &&
      each.event.inputs.length === Object.keys(args).length &&
      each.event.inputs.every((input) => input.name in args),
  );
  if (!found) throw new Error(`${contract} has no event ${name}(${Object.keys(args)})`);
  found.seen = true;
  return found.event;
}

/** What the contract takes: the number of topics, the topics, the data. */
export function inputOf(contract, name, args) {
  const event = declarationOf(contract, name, args);
  const topics = encodeEventTopics({ abi: [event], eventName: event.name, args });
  const plain = event.inputs.filter((input) => !input.indexed);
  const data = encodeAbiParameters(plain, plain.map((input) => args[input.name]));
  return "0x0" + topics.length + [...topics, data].map((each) => each.slice(2)).join("");
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const [contract, name, args] of JSON.parse(readFileSync(0, "utf8")))
    console.log(contracts[contract], inputOf(contract, name, args));

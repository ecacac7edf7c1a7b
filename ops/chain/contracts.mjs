// The contracts of a chain to try the server with: one for each name that `chain.contracts` takes. At each of their
// addresses lies the same code, which emits whatever log it is told to, and returns what it was told to return.
//
//     node contracts.mjs         prints the addresses as `chain.contracts` wants them
//     node contracts.mjs code    prints the code
//     node contracts.mjs bond    prints the function that returns a bond, as `chain.reads.bond` wants it
import { fileURLToPath } from "node:url";
import { declared, functions } from "./abi.mjs";

const names = Object.keys(declared).filter((name) => name !== "any");

/** Name to address. */
export const contracts = Object.fromEntries(
  names.map((name, i) => [name, "0xc0de" + (i + 1).toString(16).padStart(36, "0")]),
);

/** Where the emitter lies for those that run functions of their own (contracts/Reputation.sol) and leave all else to it. */
export const emitterAddress = "0xc0de0000000000000000000000000000000000ff";

const byte = (value) => value.toString(16).padStart(2, "0");

/** Code of hexadecimal parts, in which `{place: name}` marks a place to jump to, and `{to: name}` is its two bytes. */
function assembled(parts) {
  const places = {};
  let size = 0;
  for (const each of parts)
    if (each.place) places[each.place] = size++;
    else size += each.to ? 2 : each.length / 2;
  const code = parts.map((each) => (each.place ? "5b" : each.to ? places[each.to].toString(16).padStart(4, "0") : each));
  return `0x${code.join("")}`;
}
const jumpIf = (place) => ["61", { to: place }, "57"];
const jump = (place) => ["61", { to: place }, "56"];

/** What emits a log with so many topics. The input is their number (a byte), the topics, and the data. */
function emitting(topics) {
  const begin = byte(1 + 32 * topics);
  const size = `60${begin}3603`; // CALLDATASIZE - begin
  const copy = `${size}60${begin}600037`; // CALLDATACOPY(0, begin, size)
  const push = Array.from({ length: topics }, (_, i) => `60${byte(1 + 32 * (topics - 1 - i))}35`).join("");
  return [{ place: `log ${topics}` }, `${copy}${push}${size}6000${byte(0xa0 + topics)}00`]; // … LOGn STOP
}

/** The first byte of an input that says what to return from now on: two bytes with the length of an input follow, that input, and
 *  what it returns. */
export const answerMark = "fe";
/** It lies in the storage: its length plus one at the hash of the input, and its words behind that, 32 apart. */
const answering = [
  { place: "answer" },
  "50" + "60013560f01c", // length of the input
  "806003600037" + "80600020", // hash of it
  "9060030180" + "3603", // where the answer begins, and its length
  "806001018355" + "6000", // SSTORE(hash, length + 1); from 0
  { place: "store" },
  "81811015",
  ...jumpIf("end"),
  "82810135" + "848201600101" + "55" + "602001", // SSTORE(hash + i + 1, word i); i += 32
  ...jump("store"),
];
/** Every other input gets what was said, or nothing. */
const returning = [
  "50" + "3660006000" + "37" + "36600020", // hash of the input
  "805480" + "15",
  ...jumpIf("end"),
  "60019003" + "6000",
  { place: "load" },
  "81811015",
  ...jumpIf("give"),
  "828101600101" + "548152" + "602001", // MSTORE(i, SLOAD(hash + i + 1)); i += 32
  ...jump("load"),
  { place: "give" },
  "816000f3",
];

/** Jumps by the first byte of the input. */
export function emitterCode() {
  const kinds = [0, 1, 2, 3, 4];
  return assembled([
    "60003560f81c",
    ...kinds.flatMap((topics) => [`8060${byte(topics)}14`, ...jumpIf(`log ${topics}`)]),
    `8060${answerMark}14`,
    ...jumpIf("answer"),
    ...returning,
    ...kinds.flatMap(emitting),
    ...answering,
    { place: "end" },
    "00",
  ]);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const asked = process.argv[2];
  if (asked === "code") console.log(emitterCode());
  else if (asked === "bond") console.log(functions.bond);
  else console.log(Object.entries(contracts).map(([name, where]) => `${name}=${where}`).join(","));
}

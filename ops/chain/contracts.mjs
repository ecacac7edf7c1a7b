// The contracts of a chain to try the server with: one for each name that `chain.contracts` takes. At each of their
// addresses lies the same code, which emits whatever log it is told to.
//
//     node contracts.mjs    prints the addresses as `chain.contracts` wants them
import { fileURLToPath } from "node:url";
import { declared } from "./abi.mjs";

const names = Object.keys(declared).filter((name) => name !== "any");

/** Name to address. */
export const contracts = Object.fromEntries(
  names.map((name, i) => [name, "0xc0de" + (i + 1).toString(16).padStart(36, "0")]),
);

const byte = (value) => value.toString(16).padStart(2, "0");

/** What emits a log with so many topics. The input is their number (a byte), the topics, and the data. */
function branch(topics) {
  const begin = byte(1 + 32 * topics);
  const size = `60${begin}3603`; // CALLDATASIZE - begin
  const copy = `${size}60${begin}600037`; // CALLDATACOPY(0, begin, size)
  const push = Array.from({ length: topics }, (_, i) => `60${byte(1 + 32 * (topics - 1 - i))}35`).join("");
  return `5b${copy}${push}${size}6000${byte(0xa0 + topics)}00`; // JUMPDEST … LOGn STOP
}

/** Jumps by the first byte of the input to the branch for so many topics. */
export function emitterCode() {
  const begin = "60003560f81c";
  const jumpBytes = 8;
  const branches = [0, 1, 2, 3, 4].map(branch);
  let at = begin.length / 2 + branches.length * jumpBytes + 1;
  let jumps = "";
  branches.forEach((each, topics) => {
    jumps += `8060${byte(topics)}1461${at.toString(16).padStart(4, "0")}57`;
    at += each.length / 2;
  });
  return `0x${begin}${jumps}00${branches.join("")}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  console.log(Object.entries(contracts).map(([name, where]) => `${name}=${where}`).join(","));

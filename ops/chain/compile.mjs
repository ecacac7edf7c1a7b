// Compiles contracts/Reputation.sol, once for each version of it; what comes out is kept below node_modules.
//
//     node compile.mjs    prints, as JSON, the code of each contract by the name that `chain.contracts` gives it
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const names = { profile: "Profiles", review: "Reviews", vote: "Votes", discussion: "Discussions" };

function compile(source) {
  const solc = createRequire(import.meta.url)("solc");
  const input = {
    language: "Solidity",
    sources: { "Reputation.sol": { content: source } },
    settings: {
      optimizer: { enabled: true, runs: 200 },
      viaIR: true,
      evmVersion: "paris", // runs on every chain since the merge
      outputSelection: { "*": { "*": ["abi", "evm.deployedBytecode.object"] } },
    },
  };
  const output = JSON.parse(solc.compile(JSON.stringify(input)));
  const errors = (output.errors ?? []).filter((each) => each.severity === "error");
  if (errors.length) throw new Error(errors.map((each) => each.formattedMessage).join("\n"));
  const all = output.contracts["Reputation.sol"];
  return Object.fromEntries(
    Object.entries(names).map(([kind, name]) => [kind, { abi: all[name].abi, code: `0x${all[name].evm.deployedBytecode.object}` }]),
  );
}

/** `{abi, code}` by kind: `profile`, `review`, `vote`, `discussion`. */
export function compiled() {
  const source = readFileSync(join(here, "contracts/Reputation.sol"), "utf8");
  const lock = readFileSync(join(here, "package-lock.json"), "utf8");
  const kept = join(here, "node_modules/.cache", `${createHash("sha256").update(source).update(lock).digest("hex")}.json`);
  try {
    return JSON.parse(readFileSync(kept, "utf8"));
  } catch {
    const out = compile(source);
    try {
      mkdirSync(dirname(kept), { recursive: true });
      writeFileSync(kept, JSON.stringify(out));
    } catch {
      // a read-only checkout compiles each time
    }
    return out;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  console.log(JSON.stringify(Object.fromEntries(Object.entries(compiled()).map(([kind, { code }]) => [kind, code]))));

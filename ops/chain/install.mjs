// Puts the contracts on a local node: code that emits what it is told to at each address of contracts.mjs, and in front of it, where
// managed wallets sign for them, contracts that run functions (contracts/Reputation.sol). No block is made.
//
//     node install.mjs URL                       puts them there
//     node install.mjs URL claim PROFILE WALLET  gives a managed wallet's address to a profile of the chain
import { fileURLToPath } from "node:url";
import { encodeFunctionData, pad, toHex } from "viem";
import { compiled } from "./compile.mjs";
import { contracts, emitterAddress, emitterCode } from "./contracts.mjs";

const word = (value) => pad(typeof value === "string" ? value : toHex(value), { size: 32 });
// The storage that all of them begin with, and what each counts behind that.
const slots = { profiles: 0, reviews: 1, emitter: 2, count: 3 };

/** `ask(method, params)` asks the node; `lastIds` by kind: the contracts count on from there. */
export async function install(ask, lastIds = {}) {
  const emitter = emitterCode();
  const real = compiled();
  for (const where of [...Object.values(contracts), emitterAddress]) await ask("anvil_setCode", [where, emitter]);
  for (const [kind, { code }] of Object.entries(real)) {
    const put = (slot, value) => ask("anvil_setStorageAt", [contracts[kind], word(slot), word(value)]);
    await ask("anvil_setCode", [contracts[kind], code]);
    await put(slots.profiles, contracts.profile);
    await put(slots.reviews, contracts.review);
    await put(slots.emitter, emitterAddress);
    const counted = BigInt(await ask("eth_getStorageAt", [contracts[kind], word(slots.count), "latest"]));
    if (counted === 0n && lastIds[kind]) await put(slots.count, BigInt(lastIds[kind]));
  }
}

/** Asks a node at a URL. */
export const asking = (url) => async (method, params) => {
  const answer = await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  const { result, error } = await answer.json();
  if (error) throw new Error(`${method}: ${error.message}`);
  return result;
};

/** As its owner would on the real chain. */
export async function claim(ask, profile, wallet) {
  const data = encodeFunctionData({ abi: compiled().profile.abi, functionName: "claimAddress", args: [BigInt(profile), wallet] });
  const [from] = await ask("eth_accounts", []);
  return ask("eth_sendTransaction", [{ from, to: contracts.profile, gas: "0x100000", data }]);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [url, what, profile, wallet] = process.argv.slice(2);
  if (what === "claim") console.log(await claim(asking(url), profile, wallet));
  else await install(asking(url));
}

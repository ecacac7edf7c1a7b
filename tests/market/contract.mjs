// Reference.sol in an Ethereum machine. It is anvil's, which contracts are commonly tried on before they are deployed;
// and as it is compiled, a hundred thousand trades take it a few seconds.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import solc from "solc";

const require = createRequire(import.meta.url);
const address = "0x00000000000000000000000000000000000c0de5";

function compile() {
  const name = "Reference.sol";
  const input = {
    language: "Solidity",
    sources: { [name]: { content: readFileSync(new URL(name, import.meta.url), "utf8") } },
    settings: {
      viaIR: true, // or its stack is too small
      optimizer: { enabled: true, runs: 1_000_000 },
      outputSelection: { [name]: { Reference: ["evm.deployedBytecode.object", "evm.methodIdentifiers"] } },
    },
  };
  const read = (path) => ({ contents: readFileSync(require.resolve(path), "utf8") });
  const output = JSON.parse(solc.compile(JSON.stringify(input), { import: read }));
  const errors = (output.errors ?? []).filter((each) => each.severity === "error");
  if (errors.length) throw new Error(errors.map((each) => each.formattedMessage).join("\n"));
  const { deployedBytecode, methodIdentifiers } = output.contracts[name].Reference.evm;
  const selectors = Object.entries(methodIdentifiers).map(([signature, id]) => [signature.split("(")[0], id]);
  return { code: "0x" + deployedBytecode.object, selectors: Object.fromEntries(selectors) };
}

/** Starts anvil at a port of its own choice; it ends with this process, however that ends. */
async function startAnvil() {
  const program = require.resolve("@foundry-rs/anvil-linux-amd64/bin/anvil"); // the executable itself, nothing around it
  const flags = ["--host", "127.0.0.1", "--port", "0", "--accounts", "1", "--no-mining", "--disable-block-gas-limit"];
  const anvil = spawn("setpriv", ["--pdeathsig", "KILL", program, ...flags], { stdio: ["ignore", "pipe", "inherit"] });
  for await (const line of createInterface({ input: anvil.stdout })) {
    const listening = /^Listening on (\S+)/.exec(line);
    if (listening) {
      anvil.stdout.resume();
      return { url: `http://${listening[1]}`, stop: () => anvil.kill() };
    }
  }
  throw new Error(`anvil ended with ${anvil.exitCode}`);
}

const word = (value) => BigInt(value).toString(16).padStart(64, "0");

/** The contract: `call(name, rows)` gives, for every row of arguments, the words returned, or null for a revert. */
export async function startContract() {
  const { code, selectors } = compile();
  const anvil = await startAnvil();
  const ask = async (method, params) => {
    const answer = await fetch(anvil.url, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
    const { result, error } = await answer.json();
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  };
  await ask("anvil_setCode", [address, code]);

  const call = async (name, rows) => {
    const size = 32 * rows[0].length;
    const inputs = rows.flat().map(word).join("");
    const data = "0x" + selectors.batch + selectors[name].padEnd(64, "0") + word(size) + word(96) + word(inputs.length / 2) + inputs;
    const result = await ask("eth_call", [{ to: address, data }, "latest"]);
    const at = (byte) => BigInt("0x" + result.slice(2 + 2 * byte, 66 + 2 * byte));
    const first = 64; // of the list's elements, behind its place and its length
    return rows.map((_, row) => {
      const begin = first + Number(at(first + 32 * row));
      const words = Number(at(begin)) / 32;
      return words === 0 ? null : Array.from({ length: words }, (_, i) => at(begin + 32 * (i + 1)));
    });
  };
  return { call, stop: anvil.stop };
}

// The TypeScript client as a user of its package has it: packed by npm, installed into a project of its own, compiled there with packed.ts, which
// loses answers on purpose, and the examples of its README run as they are.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const sources = join(here, "../../http/clients/typescript");
const at = mkdtempSync(join(tmpdir(), "credence-packed-"));
const run = (words, more = {}) => execFileSync(words[0], words.slice(1), { cwd: at, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"], env: { ...process.env, ...more } });

try {
  const [packed] = JSON.parse(run(["npm", "pack", sources, "--json", "--pack-destination", at]));
  const names = packed.files.map((each) => each.path).sort();
  assert.deepEqual(names, ["README.md", "dist/api.d.ts", "dist/api.js", "dist/calls.d.ts", "dist/calls.js", "dist/client.d.ts", "dist/client.js", "package.json"]);
  writeFileSync(join(at, "package.json"), JSON.stringify({ name: "user", private: true, type: "module" }));
  run(["npm", "install", "--offline", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", join(at, packed.filename)]);
  assert.deepEqual(readdirSync(join(at, "node_modules")).filter((each) => !each.startsWith(".")), ["credence-client"], "it needs no other package");
  symlinkSync(join(here, "node_modules/viem"), join(at, "node_modules/viem"));
  copyFileSync(join(here, "packed.ts"), join(at, "packed.ts"));
  run([process.execPath, join(sources, "node_modules/typescript/bin/tsc"), "--strict", "--noUncheckedIndexedAccess", "--skipLibCheck", "--target", "es2022", "--module", "nodenext", "packed.ts"]);
  process.stdout.write(run([process.execPath, "packed.js"]));

  const text = readFileSync(join(at, "node_modules/credence-client/README.md"), "utf8");
  const [bot, makesKey] = [...text.matchAll(/```js\n(.*?)```/gs)].map(([, block]) => block);
  assert.ok(bot.split("\n").filter(Boolean).length <= 10, "the first bot has ten lines");
  const key = run([process.execPath, "--input-type=module", "-e", makesKey], { WALLET_KEY: process.env.CREDENCE_WALLET_KEY }).trim();
  assert.match(key, /^crd_/);
  assert.match(run([process.execPath, "--input-type=module", "-e", bot], { CREDENCE_KEY: key }), /^voted on project \d+\ntip \d+\n$/);
  console.log("packed: all is well");
} finally {
  rmSync(at, { recursive: true, force: true });
}

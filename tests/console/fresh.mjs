// Builds the console anew and compares it, byte for byte, with the bundle that the executable holds. What is built goes to a folder of its own.
import assert from "node:assert/strict";
import {spawnSync} from "node:child_process";
import {mkdtempSync, readFileSync, readdirSync, rmSync} from "node:fs";
import {tmpdir} from "node:os";
import {join} from "node:path";
import {fileURLToPath} from "node:url";
import {gzipSync} from "node:zlib";

const sources = fileURLToPath(new URL("../../http/console/", import.meta.url));
const compressedMax = 150 * 1024;

function run(...words) {
  const {status, stdout, stderr} = spawnSync(process.execPath, words, {cwd: sources, encoding: "utf8"});
  assert.equal(status, 0, `node ${words.join(" ")}\n${stdout}${stderr}`);
}

const files = (folder) => readdirSync(folder, {withFileTypes: true})
  .flatMap((each) => (each.isDirectory() ? files(join(folder, each.name)).map((name) => `${each.name}/${name}`) : [each.name])).sort();

const built = mkdtempSync(join(tmpdir(), "credence-console-"));
try {
  run("contract.mjs", "--check");
  run("node_modules/typescript/bin/tsc", "--noEmit");
  run("node_modules/vite/bin/vite.js", "build", "--logLevel", "warn", "--outDir", built, "--emptyOutDir");
  const committed = join(sources, "dist");
  assert.deepEqual(files(committed), files(built), "http/console/dist holds other files than its sources make: npm run build --prefix http/console");
  for (const name of files(built))
    assert.ok(readFileSync(join(committed, name)).equals(readFileSync(join(built, name))), `http/console/dist/${name} is not what its sources make: npm run build --prefix http/console`);
  run("node_modules/vite/bin/vite.js", "build", "--config", "guides.config.ts", "--logLevel", "warn", "--outDir", join(built, "guides"));
  assert.ok(readFileSync(join(sources, "../api/reference/pages/guides.js")).equals(readFileSync(join(built, "guides/guides.js"))), "http/api/reference/pages/guides.js is not what its sources make: npm run build --prefix http/console");
  rmSync(join(built, "guides"), {recursive: true});
  const size = files(built).reduce((sum, name) => sum + gzipSync(readFileSync(join(built, name))).length, 0);
  assert.ok(size <= compressedMax, `the bundle has ${size} bytes compressed, more than ${compressedMax}`);
  console.log("console: the bundle is fresh");
} finally {
  rmSync(built, {recursive: true, force: true});
}

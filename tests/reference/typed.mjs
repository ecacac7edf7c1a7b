// Makes types of the server's /openapi.json with openapi-typescript, compiles client.ts with them and runs it.
import { spawnSync } from "node:child_process";
import { copyFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const libraries = fileURLToPath(new URL("node_modules/", import.meta.url));
const url = process.env.CREDENCE_URL;
if (!url) throw new Error("CREDENCE_URL must be set");

function run(...words) {
  const ran = spawnSync(process.execPath, words, { encoding: "utf8" });
  if (ran.status !== 0) throw new Error(`${words.join(" ")}\n${ran.stdout}${ran.stderr}`);
  return ran.stdout;
}

const at = await mkdtemp(`${libraries}typed-`); // inside, so that the libraries are found from there
try {
  await writeFile(`${at}/openapi.json`, await (await fetch(`${url}/openapi.json`)).text());
  await copyFile(new URL("client.ts", import.meta.url), `${at}/client.ts`);
  await writeFile(`${at}/package.json`, '{"type":"module"}');
  run(`${libraries}openapi-typescript/bin/cli.js`, `${at}/openapi.json`, "--output", `${at}/api.d.ts`);
  run(`${libraries}typescript/bin/tsc`, "--strict", "--noUncheckedIndexedAccess", "--target", "es2022", "--module", "nodenext", "--types", "node", "--typeRoots", `${libraries}@types`,
      "--skipLibCheck", `${at}/client.ts`);
  process.stdout.write(run(`${at}/client.js`));
} finally {
  await rm(at, { recursive: true, force: true });
}

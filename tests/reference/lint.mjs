// Lints OpenAPI documents with redocly and its recommended rules; ends with 1 at any error or warning. `node lint.mjs FILE…`
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const environment = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };

/** What redocly finds in a document. */
function problems(file) {
  const words = ["lint", file, "--config", here("redocly.yaml"), "--format=json", "--max-problems=1000"];
  const ran = spawnSync(process.execPath, [here("node_modules/@redocly/cli/bin/cli.js"), ...words], { encoding: "utf8", env: environment, maxBuffer: 1 << 26 });
  const begin = ran.stdout.indexOf("{");
  if (begin < 0) throw new Error(`redocly did not run: ${ran.stderr}${ran.error ?? ""}`);
  return JSON.parse(ran.stdout.slice(begin)).problems.filter((problem) => !problem.ignored);
}

const files = process.argv.slice(2);
if (!files.length) throw new Error("name a document");
let wrong = 0;
for (const file of files)
  for (const { severity, ruleId, message, location } of problems(file)) {
    wrong += 1;
    console.log(`${severity} ${ruleId}: ${message} at ${file}${location[0]?.pointer ?? ""}`);
  }
process.exit(wrong ? 1 : 0);

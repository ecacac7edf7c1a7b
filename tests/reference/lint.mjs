// Lints OpenAPI documents with redocly and its recommended rules; ends with 1 at any error or warning. `node lint.mjs FILE…`
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const environment = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };

const ran = spawnSync(process.execPath,
                      [here("node_modules/@redocly/cli/bin/cli.js"), "lint", ...process.argv.slice(2), "--config", here("redocly.yaml"), "--format=json", "--max-problems=1000"],
                      { encoding: "utf8", env: environment, maxBuffer: 1 << 26 });
const begin = ran.stdout.indexOf("{");
if (begin < 0) throw new Error(`redocly did not run: ${ran.stderr}${ran.error ?? ""}`);
const { problems, totals } = JSON.parse(ran.stdout.slice(begin));
const told = problems.filter((problem) => !problem.ignored);
for (const { severity, ruleId, message, location } of told)
  console.log(`${severity} ${ruleId}: ${message} at ${location[0]?.source?.ref ?? ""}${location[0]?.pointer ?? ""}`);
if (told.length || totals.errors || totals.warnings) process.exit(1);

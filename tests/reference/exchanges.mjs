// Compares what tests sent and what the server answered (files of tests/system/exchange_log.cpp) with the OpenAPI document. Every answer must be
// described: its status, code, media type, headers and body, without members that the document lacks. A request must be as described where the
// answer was 2xx; tests send wrong ones on purpose. `node exchanges.mjs OPENAPI.json DIRECTORY`
import { readdirSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import Ajv2020 from "ajv/dist/2020.js";

const [file, directory] = process.argv.slice(2);
const document = JSON.parse(readFileSync(file, "utf8"));
const apart = [/^\/api\/v2\/notes(\/|$)/]; // the entity that the tests' build adds (tests/example)
// Headers that any answer may have (docs/api/README.md), and those of the protocol.
const always = /^(date|content-type|content-length|content-encoding|connection|keep-alive|vary|allow|cache-control|x-content-type-options|access-control-.*|x-request-id|ratelimit|ratelimit-policy|deprecation|sunset|link|retry-after|content-security-policy|referrer-policy|x-frame-options)$/;

// -- schemas ------------------------------------------------------------------------------------

/** The same schemas where an object has no members but those that are described. */
/** What a schema says by `allOf`, as one object: each part would refuse the members of the others once it is closed. */
function joined({ allOf, ...rest }) {
  const parts = allOf.map((each) => (each.$ref ? each.$ref.slice(2).split("/").reduce((at, key) => at[key], document) : each));
  const whole = [rest, ...parts.map((each) => (each.allOf ? joined(each) : each))];
  return {
    ...rest,
    type: "object",
    required: [...new Set(whole.flatMap((each) => each.required ?? []))],
    properties: Object.assign({}, ...whole.map((each) => each.properties ?? {})),
  };
}
function closed(node) {
  if (node?.allOf) return closed(joined(node));
  if (Array.isArray(node)) return node.map(closed);
  if (node === null || typeof node !== "object") return node;
  const out = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, key === "example" || key === "enum" ? value : closed(value)]));
  const isObject = [out.type].flat().includes("object") && out.properties && typeof out.properties === "object" && !Array.isArray(out.properties);
  if (isObject && out.additionalProperties === undefined) out.additionalProperties = false;
  return out;
}
const ajv = new Ajv2020({ strict: false, allErrors: false, verbose: true });
ajv.addFormat("date-time", /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
ajv.addFormat("date", /^\d{4}-\d\d-\d\d$/);
ajv.addFormat("uri", /^https?:\/\/[!-~]+$/);
ajv.addFormat("int64", true); // bounds say what may come
ajv.addFormat("uuid", /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
ajv.addSchema({ $id: "asked", ...document });
ajv.addSchema({ $id: "answered", ...closed(document) });
const escaped = (key) => encodeURIComponent(String(key).replace(/~/g, "~0").replace(/\//g, "~1"));
const compiled = new Map();
function validator(base, pointer) {
  const where = `${base}#/${pointer.map(escaped).join("/")}`;
  if (!compiled.has(where)) compiled.set(where, ajv.compile({ $ref: where }));
  return compiled.get(where);
}
/** What is wrong with a value, in one line; empty: nothing. */
function wrong(base, pointer, value) {
  const check = validator(base, pointer);
  if (check(value)) return "";
  const [first] = check.errors.slice(-1);
  const more = first.params.additionalProperty ?? first.params.missingProperty ?? first.params.allowedValues ?? "";
  return `${first.instancePath || "/"} ${first.message} ${more && JSON.stringify(more)} (${JSON.stringify(first.data)?.slice(0, 120)})`;
}
/** A description behind its reference, with the pointer to it. */
function resolved(pointer) {
  const found = pointer.reduce((from, key) => from?.[key], document);
  return found?.$ref ? resolved(found.$ref.slice(2).split("/").map((key) => key.replace(/~1/g, "/").replace(/~0/g, "~"))) : [found, pointer];
}

// -- paths ----------------------------------------------------------------------------------------

const patterns = Object.keys(document.paths).map((path) => ({ path, segments: path.split("/"), literals: path.split("/").filter((each) => !each.startsWith("{")).length }))
  .sort((a, b) => b.literals - a.literals);
/** The path of the document that leads there, with or without a slash at the end, and what stands for its names. */
function found(path) {
  const segments = path.replace(/(.)\/$/, "$1").split("/");
  for (const pattern of patterns) {
    if (pattern.segments.length !== segments.length) continue;
    if (pattern.segments.every((each, i) => (each.startsWith("{") ? segments[i] !== "" : each === segments[i])))
      return { path: pattern.path, parts: Object.fromEntries(pattern.segments.flatMap((each, i) => (each.startsWith("{") ? [[each.slice(1, -1), segments[i]]] : []))) };
  }
  return null;
}

// -- requests ---------------------------------------------------------------------------------------

function typed(schema, text) {
  if (schema?.$ref) return typed(resolved(schema.$ref.slice(2).split("/"))[0], text);
  const types = [schema?.type ?? (schema?.anyOf ?? schema?.oneOf ?? []).map((each) => each.type)].flat();
  if (types.some((type) => type === "integer" || type === "number") && /^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  if (types.includes("boolean") && /^(true|false)$/.test(text)) return text === "true";
  return text;
}
function queryValue(schema, query, name) {
  const values = [...query.getAll(name), ...query.getAll(`${name}[]`)].filter((each) => each !== "");
  if (!values.length) return undefined;
  if (schema.type === "array") return [...new Set(values.flatMap((each) => each.split(",")).map((each) => typed(schema.items, each)))];
  return typed(schema, values[0]);
}
function* wrongInRequest(exchange, place, operation, at, query) {
  for (const [i] of (operation.parameters ?? []).entries()) {
    const [parameter, pointer] = resolved([...at, "parameters", i]);
    const [schema] = resolved([...pointer, "schema"]);
    const value = parameter.in === "query" ? queryValue(schema, query, parameter.name) : parameter.in === "path" ? typed(schema, decodeURIComponent(place.parts[parameter.name]))
      : exchange.sent[parameter.name.toLowerCase()];
    if (value === undefined && parameter.required) yield `the parameter ${parameter.name} is required, and was left out`;
    if (value === undefined || (parameter.in === "header" && parameter.name !== "Idempotency-Key")) continue;
    const why = wrong("asked", [...pointer, "schema"], value);
    if (why) yield `the parameter ${parameter.name}: ${why}`;
  }
  const content = operation.requestBody?.content?.["application/json"];
  if (!content) return;
  if (exchange.sent["transfer-encoding"]) return; // it is in chunks
  const body = Buffer.from(exchange.body).subarray(0, Number(exchange.sent["content-length"] ?? Infinity)).toString();
  if (!body) {
    if (operation.requestBody.required) yield "the body is required, and was left out";
    return;
  }
  let value;
  try {
    value = JSON.parse(body);
  } catch (why) {
    return yield `the body is no JSON: ${why.message}`;
  }
  const why = wrong("asked", [...at, "requestBody", "content", "application/json", "schema"], value);
  if (why) yield `the body: ${why}`;
}

// -- answers ------------------------------------------------------------------------------------------

function* wrongInAnswer(exchange, at) {
  const status = String(exchange.status);
  const known = resolved([...at, "responses", status])[0] ? status : "default";
  const [response, pointer] = resolved([...at, "responses", known]);
  if (!response) return yield `the status ${status} is not described`;
  const headers = new Set(Object.keys(response.headers ?? {}).map((name) => name.toLowerCase()));
  for (const name of Object.keys(exchange.headers))
    if (!headers.has(name) && !always.test(name)) yield `the header ${name} is not described`;
  if (exchange.method === "HEAD" || exchange.answer === "") return;
  const kind = (exchange.headers["content-type"] ?? "").split(";")[0];
  if (!response.content?.[kind]) return yield `the media type ${kind} is not described`;
  if (kind !== "application/json") return;
  let value;
  try {
    const packed = exchange.headers["content-encoding"] === "gzip";
    value = JSON.parse(packed ? gunzipSync(Buffer.from(exchange.answer, "hex")).toString() : exchange.answer);
  } catch (why) {
    return yield `the answer is no JSON: ${why.message}`;
  }
  const why = wrong("answered", [...pointer, "content", kind, "schema"], value);
  if (why) yield `the answer: ${why}`;
}

const mistakes = new Map();
const succeeded = new Set();
let compared = 0;
function tell(what, exchange) {
  const said = mistakes.get(what.replace(/\(.*\)$/, "")) ?? { what, count: 0, exchange };
  said.count += 1;
  mistakes.set(what.replace(/\(.*\)$/, ""), said);
}
function compare(exchange) {
  const [path, ...rest] = exchange.target.split("?");
  if ((exchange.status === 308 || exchange.status === 404) && path.endsWith("/")) return; // a page, to where it has no slash; an id that is missing
  if (exchange.method === "OPTIONS" || apart.some((each) => each.test(path))) return;
  const place = found(path);
  const verb = exchange.method === "HEAD" ? "get" : exchange.method.toLowerCase();
  const operation = place && document.paths[place.path][verb];
  if (!operation) {
    if (exchange.status < 400) tell(`${exchange.method} ${path} ${exchange.status}: it is not described`, exchange);
    return;
  }
  compared += 1;
  const at = ["paths", place.path, verb];
  const what = `${exchange.method} ${place.path} ${exchange.status}`;
  if (exchange.status < 300) {
    succeeded.add(`${verb} ${place.path}`);
    for (const each of wrongInRequest(exchange, place, operation, at, new URLSearchParams(rest.join("?")))) tell(`${what}: ${each}`, exchange);
  }
  for (const each of wrongInAnswer(exchange, at)) tell(`${what}: ${each}`, exchange);
}

for (const name of readdirSync(directory).filter((each) => each.endsWith(".jsonl")).sort())
  for (const line of readFileSync(`${directory}/${name}`, "utf8").split("\n")) if (line) compare(JSON.parse(line));

const all = Object.entries(document.paths).flatMap(([path, item]) => Object.keys(item).map((verb) => `${verb} ${path}`));
for (const { what, count, exchange } of [...mistakes.values()].sort((a, b) => (a.what < b.what ? -1 : 1)))
  console.log(`${what}${count > 1 ? `, ${count} times` : ""}\n    ${exchange.method} ${exchange.target} ${exchange.body.slice(0, 200)}`);
console.error(`${compared} exchanges compared, ${succeeded.size} of ${all.length} calls with a 2xx, ${mistakes.size} mistakes`);
if (process.env.REFERENCE_UNSEEN) console.error(all.filter((each) => !succeeded.has(each)).join("\n"));
process.exit(compared > 0 && mistakes.size === 0 ? 0 : 1);

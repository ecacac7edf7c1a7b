// Makes dist/ of the API's reference and src/client.ts; `npm pack` runs it. What it makes of the reference: src/api.ts, the types, and src/calls.ts,
// a method for each call. Calls of version 1 and pages for browsers are left out.
import {execFileSync} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const root = join(here, '../../..');
const work = mkdtempSync(join(tmpdir(), 'credence-client-'));
const run = (program, ...words) => execFileSync(program, words, {cwd: here, stdio: ['ignore', 'ignore', 'inherit']});
const library = name => join(here, 'node_modules', name);

/** The reference without what no program calls. */
function document() {
  const file = join(work, 'openapi.json');
  run('python3', join(root, 'ops/reference.py'), file);
  const whole = JSON.parse(readFileSync(file, 'utf8'));
  for (const item of Object.values(whole.paths))
    for (const [verb, {deprecated, responses}] of Object.entries(item)) if (deprecated || !responses[200]?.content?.['application/json']) delete item[verb];
  whole.paths = Object.fromEntries(Object.entries(whole.paths).filter(([, item]) => Object.keys(item).length > 0));
  return whole;
}

/** What is said of a call, as a comment of its method. */
const comment = (...texts) => `/** ${texts.filter(Boolean).join(' ').replace(/\s+/g, ' ').replaceAll('*/', '*\\/')} */`;

function calls({paths, components}) {
  const seen = ({$ref, ...each}) => ($ref ? components.parameters[$ref.split('/').pop()] : each);
  const methods = [];
  const rows = [];
  for (const [path, item] of Object.entries(paths))
    for (const [verb, call] of Object.entries(item)) {
      const parameters = call.parameters.map(seen);
      const more = {
        ...(parameters.some(each => each.name === 'Idempotency-Key') && {once: true}),
        ...(call['x-access'] !== 'open' && call.security.some(each => each.accessToken) && {asks: true}),
      };
      const joined = parameters.filter(each => each.in === 'query' && each.explode === false).map(each => each.name);
      if (joined.length > 0) more.joined = joined;
      methods.push(`  ${comment(`${call.summary}.`, call.description)}\n  ${call.operationId}: Call<'${call.operationId}'>;`);
      rows.push(`  ${call.operationId}: ${JSON.stringify({verb: verb.toUpperCase(), path, ...more})},`);
    }
  return `// Made of the API's reference.\nimport type {Call} from './client.js';\n\n/** The calls of the API. */\nexport interface Calls {\n${methods.join('\n')}\n}\n\n`
    + `/** How each is sent. */\nexport const table: Record<keyof Calls, {verb: string; path: string; once?: boolean; asks?: boolean; joined?: string[]}> = {\n${rows.join('\n')}\n};\n`;
}

/** What types are made of: parameters of paths and queries, bodies, and what succeeds. */
function typed({components: {schemas, parameters}, ...whole}) {
  const isSent = each => ['path', 'query'].includes((each.$ref ? parameters[each.$ref.split('/').pop()] : each).in);
  const paths = Object.fromEntries(Object.entries(whole.paths).map(([path, item]) => [path, Object.fromEntries(Object.entries(item).map(([verb, call]) => {
    const {description, content} = call.responses[200];
    return [verb, {...call, parameters: call.parameters.filter(isSent), responses: {200: {description, content}}}];
  }))]));
  return {...whole, paths, components: {schemas, parameters}};
}

try {
  const reference = document();
  const {version} = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8'));
  if (version !== reference.info.version) throw new Error(`package.json says version ${version}, the reference ${reference.info.version}`);
  const file = join(work, 'calls.json');
  writeFileSync(file, JSON.stringify(typed(reference)));
  run(process.execPath, library('openapi-typescript/bin/cli.js'), file, '--output', join(here, 'src/api.ts'), '--default-non-nullable', 'false');
  writeFileSync(join(here, 'src/calls.ts'), calls(reference));
  rmSync(join(here, 'dist'), {recursive: true, force: true});
  run(process.execPath, library('typescript/bin/tsc'), '--project', here);
  const guide = readFileSync(join(root, 'docs/guides/clients.md'), 'utf8');
  writeFileSync(join(here, 'README.md'), guide.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')); // without links to pages that are not in the package
} finally {
  rmSync(work, {recursive: true, force: true});
}

// Writes src/lib/contract.ts: the schemas of the admin API as TypeScript, from the document beside the routes.
//   node contract.mjs          writes it
//   node contract.mjs --check  ends with 1 where it would be another text
import {readFileSync, writeFileSync} from 'node:fs';

const source = new URL('../admin/openapi.json', import.meta.url);
const target = new URL('src/lib/contract.ts', import.meta.url);
const {components: {schemas}} = JSON.parse(readFileSync(source, 'utf8'));

function typeOf(schema, indent = '') {
  if (schema.$ref) return schema.$ref.split('/').pop();
  if (schema.allOf) return schema.allOf.map(each => typeOf(each, indent)).join(' & ');
  if (schema.oneOf) return schema.oneOf.map(each => typeOf(each, indent)).join(' | ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const types = [schema.type ?? 'unknown'].flat();
  const names = types.map(type => {
    if (type === 'string' && schema.enum) return schema.enum.filter(each => each !== null).map(each => JSON.stringify(each)).join(' | ');
    if (type === 'integer') return 'number';
    if (type === 'array') return `Array<${typeOf(schema.items ?? {}, indent)}>`;
    if (type !== 'object') return type;
    if (schema.properties) return fields(schema, indent);
    return schema.additionalProperties ? `Record<string, ${typeOf(schema.additionalProperties, indent)}>` : 'Record<string, unknown>';
  });
  return names.join(' | ');
}

function fields(schema, indent) {
  const inner = `${indent}  `;
  const required = new Set(schema.required ?? []);
  const lines = Object.entries(schema.properties).map(([name, each]) => {
    const about = each.description ? `${inner}/** ${each.description.replace(/\s+/g, ' ')} */\n` : '';
    return `${about}${inner}${name}${required.has(name) ? '' : '?'}: ${typeOf(each, inner)};`;
  });
  return `{\n${lines.join('\n')}\n${indent}}`;
}

const types = Object.keys(schemas).sort().map(name => `export type ${name} = ${typeOf(schemas[name])};`);
const text = `// Written by contract.mjs from http/admin/openapi.json; change that instead.\n\n${types.join('\n\n')}\n`;
if (process.argv[2] !== '--check') {
  writeFileSync(target, text);
} else if (readFileSync(target, 'utf8') !== text) {
  console.error('src/lib/contract.ts is not what http/admin/openapi.json says: node http/console/contract.mjs');
  process.exitCode = 1;
}

import type {JSX} from 'preact';
import {useState} from 'preact/hooks';
import {api} from '../lib/api';
import {useResource} from '../lib/resource';
import {href, param, place} from '../lib/router';
import {Badge, Button, Empty, Failed, Marked, Name, Page, Pairs, Section} from '../ui/basics';
import {FilterText} from '../ui/fields';
import {DataTable} from '../ui/table';
import {Copy} from '../ui/copy';

interface Schema {
  $ref?: string;
  type?: string;
  description?: string;
  enum?: unknown[];
  const?: unknown;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  default?: unknown;
}
interface Parameter { $ref?: string; name: string; in: string; description?: string; required?: boolean; schema?: Schema }
interface Content { content?: Record<string, {schema?: Schema}>; description?: string; $ref?: string }
interface Operation {
  operationId: string;
  summary: string;
  description?: string;
  tags?: string[];
  parameters?: Parameter[];
  requestBody?: Content;
  responses: Record<string, Content>;
  'x-role'?: string;
  'x-topic'?: string;
}
interface Document {
  info: {title: string; description: string};
  tags: Array<{name: string; description: string}>;
  paths: Record<string, Record<string, Operation>>;
  components: {schemas: Record<string, Schema>; parameters: Record<string, Parameter>; responses: Record<string, Content>};
}
interface Call { method: string; path: string; operation: Operation }

function callsOf(document: Document): Call[] {
  return Object.entries(document.paths).flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]) => ({method: method.toUpperCase(), path, operation})));
}

function resolve<T extends {$ref?: string}>(document: Document, of: T): T {
  if (!of.$ref) return of;
  const found = of.$ref.replace(/^#\//, '').split('/').reduce<unknown>((at, part) => (at as Record<string, unknown> | undefined)?.[part], document);
  return (found ?? of) as T;
}

function bounds(schema: Schema): string {
  const said = [
    schema.enum && schema.enum.filter(each => each !== null).join(' | '),
    schema.minimum !== undefined && `from ${schema.minimum}`,
    schema.maximum !== undefined && `to ${schema.maximum}`,
    schema.maxLength !== undefined && `${schema.maxLength} characters at most`,
    schema.default !== undefined && `default ${JSON.stringify(schema.default)}`
  ];
  return said.filter(Boolean).join(', ');
}

/** A schema as an outline of JSON with what each field means behind it. */
function outline(document: Document, schema: Schema, indent = '', depth = 0): string {
  const it = resolve(document, schema);
  if (it.allOf) return outline(document, {type: 'object', properties: Object.assign({}, ...it.allOf.map(each => resolve(document, each).properties ?? {})), required: it.allOf.flatMap(each => resolve(document, each).required ?? [])}, indent, depth);
  const either = it.anyOf ?? it.oneOf;
  if (either) return either.map(each => (each.type === 'null' ? 'null' : outline(document, each, indent, depth))).join(' or ');
  if (it.items) return `[${outline(document, it.items, indent, depth)}]`;
  if (!it.properties || depth > 4) return `${it.enum ? it.enum.filter(each => each !== null).map(each => JSON.stringify(each)).join(' | ') : it.type ?? 'any'}`;
  const inner = `${indent}  `;
  const lines = Object.entries(it.properties).map(([name, each]) => {
    const about = resolve(document, each).description ?? each.description;
    return `${inner}${name}${it.required?.includes(name) ? '' : '?'}: ${outline(document, each, inner, depth + 1)}${about ? `   // ${about.replaceAll('`', '')}` : ''}`;
  });
  return `{\n${lines.join('\n')}\n${indent}}`;
}

function curlOf({method, path, operation}: Call): string {
  const url = `${new URL('.', document.baseURI).href.replace(/\/$/, '')}${path}`;
  const body = operation.requestBody ? ` -H 'Content-Type: application/json' -d '{…}'` : '';
  return `curl -s${method === 'GET' ? '' : ` -X ${method}`} '${url}' -H "Authorization: Bearer $TOKEN"${body}`;
}

function Try({call}: {call: Call}): JSX.Element {
  const [answer, setAnswer] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const run = async (): Promise<void> => {
    setBusy(true);
    try {
      const said = await fetch(new URL(call.path.replace('/admin/api/v1/', ''), api), {credentials: 'same-origin', cache: 'no-store'});
      const text = await said.text();
      let shown = text;
      try {
        shown = JSON.stringify(JSON.parse(text), null, 2);
      } catch { /* shown as it came */ }
      setAnswer(`${said.status}\n${shown.length > 20_000 ? `${shown.slice(0, 20_000)}\n…` : shown}`);
    } catch {
      setAnswer('Nothing answered.');
    }
    setBusy(false);
  };
  return (
    <Section title="Try it" lead="Calls it as you, with its default parameters." actions={<Button onClick={() => void run()} disabled={busy}>{busy ? 'Waiting…' : 'Call it'}</Button>}>
      {answer !== null && <pre class="code" tabIndex={0} role="group" aria-label="Answer">{answer}</pre>}
    </Section>
  );
}

function bodyOf(document: Document, of: Content | undefined): string | null {
  const schema = of && resolve(document, of).content?.['application/json']?.schema;
  return schema ? outline(document, schema) : null;
}

function OneCall({document, call}: {document: Document; call: Call}): JSX.Element {
  const {operation} = call;
  const parameters = (operation.parameters ?? []).map(each => resolve(document, each));
  const answers = Object.entries(operation.responses).map(([status, each]) => ({status, of: resolve(document, each)}));
  const body = bodyOf(document, operation.requestBody);
  const good = answers.find(each => each.status.startsWith('2'));
  const answer = good && bodyOf(document, good.of);
  const triable = call.method === 'GET' && !call.path.includes('{') && !parameters.some(each => each.required) && !call.path.endsWith('/events');
  return (
    <Page title={operation.summary} lead={<a href={href(['reference'])}>All calls</a>}>
      <div class="panel">
        <Pairs of={[
          ['Call', <code>{call.method} {call.path}</code>],
          ['Who may', operation['x-role'] === 'open' ? 'everybody' : `${operation['x-role'] ?? 'viewer'} and above`],
          ...(operation['x-topic'] ? [['Topic of the event stream', <code>{operation['x-topic']}</code>] as [string, JSX.Element]] : [])
        ]} />
        </div>
      {operation.description && <p><Marked text={operation.description} /></p>}
      <Section title="From a script" actions={<Copy text={curlOf(call)} />}><pre class="code" tabIndex={0} role="group" aria-label="curl command">{curlOf(call)}</pre></Section>
      {parameters.length > 0 && (
        <Section title="Parameters">
          <DataTable caption="Parameters" rows={parameters} id={each => `${each.in} ${each.name}`} empty={<></>} columns={[
            {head: 'Name', cell: each => <Name of={each.name} />},
            {head: 'In', cell: each => each.in},
            {head: 'Needed', cell: each => (each.required ? 'yes' : 'no')},
            {head: 'Values', cell: each => bounds(each.schema ?? {}) || (each.schema?.type ?? '')},
            {head: 'Meaning', cell: each => <Marked text={each.description ?? ''} />}
          ]} />
        </Section>
      )}
      {body && <Section title="Body"><pre class="code" tabIndex={0} role="group" aria-label="Body">{body}</pre></Section>}
      {answer && <Section title="Answer"><pre class="code" tabIndex={0} role="group" aria-label="Answer’s form">{answer}</pre></Section>}
      <Section title="Statuses">
        <DataTable caption="Statuses" rows={answers} id={each => each.status} empty={<></>} columns={[
          {head: 'Status', cell: each => <span class="num">{each.status}</span>}, {head: 'Meaning', cell: each => <Marked text={each.of.description ?? ''} />}]} />
      </Section>
      {triable && <Try call={call} />}
    </Page>
  );
}

export function ReferencePage(): JSX.Element {
  const {data, error, reload} = useResource<Document>('openapi.json');
  const id = place.value.path[1];
  const document = data.value;
  const calls = document ? callsOf(document) : [];
  const call = calls.find(each => each.operation.operationId === id);
  if (document && call) return <OneCall key={id} document={document} call={call} />;
  const text = param('text').toLowerCase();
  const found = calls.filter(each => !text || `${each.method} ${each.path} ${each.operation.summary} ${each.operation.operationId}`.toLowerCase().includes(text));
  const named = (document?.tags ?? []).filter(tag => found.some(each => each.operation.tags?.includes(tag.name)));
  return (
    <Page title="API reference" lead={<>Everything that this console does is a call below, for scripts too: mint a token with <code>credence token ID --admin</code>.</>}>
      {error.value && <Failed error={error.value} retry={reload} />}
      {document && (
        <>
          {id && <Empty what={`There is no call named “${id}”.`}>Choose one below.</Empty>}
          <div class="filters"><FilterText name="text" label="Search" placeholder="keys" /></div>
          {named.length === 0 && <Empty what="No call matches.">Try part of a path, such as store.</Empty>}
          {named.map(tag => (
            <Section key={tag.name} title={tag.name} lead={<Marked text={tag.description} />}>
              <DataTable caption={`Calls: ${tag.name}`} rows={found.filter(each => each.operation.tags?.includes(tag.name))} id={each => each.operation.operationId} empty={<></>} columns={[
                {head: 'Call', cell: each => <a href={href(['reference', each.operation.operationId])}>{each.operation.summary}</a>},
                {head: 'Method', as: 'fit', cell: each => <code>{each.method}</code>},
                {head: 'Path', cell: each => <Name of={each.path} />},
                {head: 'Who may', as: 'fit', cell: each => <Badge tone="off">{each.operation['x-role'] ?? 'viewer'}</Badge>}
              ]} />
            </Section>
          ))}
        </>
      )}
    </Page>
  );
}

// Shows /openapi.json: a list of calls with search, and the one that the address names (#op/<operationId>). Every text comes into the page
// as text, never as markup.
const at = (id) => document.getElementById(id);
const make = (tag, more = {}, ...inside) => {
  const out = Object.assign(document.createElement(tag), more);
  out.append(...inside.flat().filter((each) => each !== null && each !== undefined && each !== ''));
  return out;
};
const verbs = ['get', 'post', 'put', 'patch', 'delete'];
const access = {
  open: 'everybody', caller: 'a caller: access token, API key or session', owner: 'a caller, but no API key', admin: 'an admin, by access token',
  partner: 'the page of a partner',
};
let whole;
let operations = [];
let guides = [];

/** What a reference leads to; anything else as it is. */
function seen(value) {
  if (!value || typeof value.$ref !== 'string') return value ?? {};
  const { $ref, ...beside } = value;
  const found = $ref.slice(2).split('/').reduce((from, key) => from[key.replace(/~1/g, '/').replace(/~0/g, '~')], whole);
  return { ...seen(found), ...beside };
}

/** Text with `code` and **strong** parts. */
function words(text) {
  return String(text ?? '').split(/(`[^`]*`|\*\*[^*]+\*\*)/).map((part) => {
    if (part.startsWith('`') && part.endsWith('`') && part.length > 1) return make('code', { textContent: part.slice(1, -1) });
    if (part.startsWith('**') && part.length > 4) return make('strong', { textContent: part.slice(2, -2) });
    return part;
  });
}
function paragraphs(text) {
  const blocks = String(text ?? '').split('\n\n').filter(Boolean);
  return blocks.map((block) => block.startsWith('- ')
    ? make('ul', {}, block.split('\n').map((line) => make('li', {}, words(line.replace(/^- /, '')))))
    : make('p', {}, words(block)));
}

// -- schemas ----------------------------------------------------------------------------------

const nameOf = (schema) => (typeof schema?.$ref === 'string' ? schema.$ref.split('/').pop() : '');
function kindOf(schema) {
  const full = seen(schema);
  const options = full.anyOf ?? full.oneOf;
  if (options) return options.map(kindOf).filter((each, i, all) => all.indexOf(each) === i).join(' or ');
  if (full.type === 'array') return `list of ${kindOf(full.items)}`;
  if (full.const !== undefined) return JSON.stringify(full.const);
  return nameOf(schema) || [full.type ?? (full.allOf ? 'object' : 'any')].flat().join(' or ');
}
function boundsOf(schema) {
  const full = seen(schema);
  const out = [];
  if (full.enum) out.push(`one of ${full.enum.map((each) => JSON.stringify(each)).join(', ')}`);
  if (full.minimum !== undefined && full.maximum !== undefined) out.push(`${full.minimum} to ${full.maximum}`);
  else if (full.minimum !== undefined) out.push(`from ${full.minimum} on`);
  else if (full.maximum !== undefined) out.push(`at most ${full.maximum}`);
  if (full.minLength !== undefined || full.maxLength !== undefined) out.push(`${full.minLength ?? 0} to ${full.maxLength ?? 'any number of'} characters`);
  if (full.minItems !== undefined || full.maxItems !== undefined) out.push(`${full.minItems ?? 0} to ${full.maxItems ?? 'any number of'} items`);
  if (full.format) out.push(full.format);
  if (full.pattern) out.push(`pattern ${full.pattern}`);
  if (full.default !== undefined) out.push(`default ${JSON.stringify(full.default)}`);
  const ofItems = full.items ? boundsOf(full.items) : '';
  if (ofItems) out.push(`each item: ${ofItems}`);
  return [...out, ...(full.anyOf ?? full.oneOf ?? []).map(boundsOf)].filter(Boolean).join('; ');
}
const joined = new WeakMap();
/**
 * One object of the members of several, of which one or `all` are there; the same one each time, as lists of members know those above them by it.
 * What a dry run answers is told in the description.
 */
function joinedOf(schemas, all) {
  if (!joined.has(schemas)) {
    const parts = schemas.filter((each) => all || nameOf(each) !== 'Tried').map(insideOf).filter(Boolean);
    const required = parts.flatMap((each) => each.required ?? []);
    joined.set(schemas, parts.length < 2 ? parts[0] ?? null : {
      properties: Object.assign({}, ...parts.map((each) => each.properties)),
      required: all ? required : required.filter((name) => parts.every((each) => each.required?.includes(name))),
    });
  }
  return joined.get(schemas);
}
/** The object inside a schema whose members are worth a list. */
function insideOf(schema) {
  const full = seen(schema);
  if (full.type === 'array') return insideOf(full.items);
  if (full.properties) return full;
  if (full.allOf) return joinedOf(full.allOf, true);
  if (full.anyOf ?? full.oneOf) return joinedOf(full.anyOf ?? full.oneOf, false);
  return typeof full.additionalProperties === 'object' ? insideOf(full.additionalProperties) : null;
}
function row(name, schema, required, description, above) {
  const full = seen(schema);
  const inner = insideOf(schema);
  const opened = inner && !above.includes(inner.properties)
    ? make('details', {}, make('summary', { className: 'soft', textContent: 'Members' })) : null;
  opened?.addEventListener('toggle', () => { if (opened.open && !opened.querySelector('ul')) opened.append(members(inner, [...above, inner.properties])); });
  return make('li', {}, make('p', {}, make('code', { textContent: name }), ' ', make('span', { className: 'soft' }, kindOf(schema), required ? ', required' : '')),
    make('p', {}, words(description ?? full.description)), make('p', { className: 'soft', textContent: boundsOf(schema) }), opened);
}
function members(schema, above = []) {
  return make('ul', { className: 'rows' }, Object.entries(schema.properties).map(([name, each]) =>
    row(name, each, (schema.required ?? []).includes(name), undefined, above)));
}
function shape(schema) {
  const inner = insideOf(schema);
  return [make('p', { className: 'soft' }, kindOf(schema), boundsOf(schema) ? `; ${boundsOf(schema)}` : ''), inner ? members(inner, [inner.properties]) : null];
}

// -- one call -------------------------------------------------------------------------------

const pretty = (value) => (typeof value === 'string' ? value : JSON.stringify(value, null, 2));
const bodyOf = (call) => seen(call.requestBody).content?.['application/json'];
const isRead = (call) => call.verb === 'get' || call['x-rate-class'] === 'read';
const takes = (call, name) => call.parameters.some((each) => each.name === name);
const schemesOf = (call) => (call.security ?? []).flatMap((each) => Object.keys(each));
const needsToken = (call) => call['x-access'] !== 'open';
/** Reads and dry runs: nothing that is tried from the page leaves anything behind. */
const isTried = (call) => (isRead(call) || takes(call, 'dryRun')) && (!needsToken(call) || schemesOf(call).includes('accessToken'));
const origin = () => new URL('.', document.baseURI).href.replace(/\/$/, '');

/** JSON in one line; what is none stays as it is, for the server to say so. */
function compact(text) {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text;
  }
}

/** What stands in the form at first: a value where the call needs one, also where it may have another name. */
const filled = (call, parameter) => (parameter.required || call['x-filled']?.includes(parameter.name) ? String(parameter.example ?? '') : '');

/** Values of parameters as they stand in the form, or as in the examples. */
function request(call, form) {
  let path = call.path;
  const query = new URLSearchParams();
  const headers = {};
  for (const parameter of call.parameters) {
    const field = form?.querySelector(`[name="${parameter.in}.${parameter.name}"]`);
    const value = field ? field.value : filled(call, parameter);
    if (parameter.in === 'path') path = path.replace(`{${parameter.name}}`, encodeURIComponent(value));
    else if (value && parameter.in === 'query') query.append(parameter.name, value);
    else if (value && parameter.in === 'header') headers[parameter.name] = value;
  }
  if (isOfPartners(call)) headers.Origin = 'https://partner.example'; // a browser says its own instead
  const text = query.toString();
  const body = bodyOf(call) ? compact(form?.querySelector('textarea')?.value ?? JSON.stringify(bodyOf(call).example)) : undefined;
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  return { url: origin() + path + (text ? `?${text}` : ''), headers, body };
}

// -- commands: the same request in each language. TOKEN is an access token in the environment. --

const client = 'my-bot@1.0';
const bearer = (call) => needsToken(call) && schemesOf(call).some((name) => name === 'accessToken' || name === 'partnerToken');
const isRepeated = (call) => takes(call, 'Idempotency-Key');
const isOfPartners = (call) => schemesOf(call).includes('partnerToken');
const makesKey = '$(cat /proc/sys/kernel/random/uuid 2>/dev/null || uuidgen)'; // on Linux, where few have uuidgen, and elsewhere
const quoted = (text) => `'${String(text).replace(/'/g, `'\\''`)}'`;
function curl(call, form) {
  const { url, headers, body } = request(call, form);
  return ['curl -s', ...(call.verb === 'get' ? [] : [`-X ${call.verb.toUpperCase()}`]), quoted(url),
    ...(takes(call, 'X-Service-Client') ? [`-H ${quoted(`X-Service-Client: ${client}`)}`] : []), ...(bearer(call) ? ['-H "Authorization: Bearer $TOKEN"'] : []),
    ...(isRepeated(call) ? [`-H "Idempotency-Key: ${makesKey}"`] : []),
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`), ...(body === undefined ? [] : [`-d ${quoted(body)}`])].join(' ');
}

/** JSON as an expression of JavaScript or Python, indented; a text that is no JSON as a string of it. */
function literal(text, names = { true: 'true', false: 'false', null: 'null' }) {
  const write = (value, indent) => {
    const inner = `${indent}  `;
    if (Array.isArray(value)) return value.length ? `[${value.map((each) => write(each, inner)).join(', ')}]` : '[]';
    if (value !== null && typeof value === 'object')
      return `{\n${Object.entries(value).map(([name, each]) => `${inner}${JSON.stringify(name)}: ${write(each, inner)},\n`).join('')}${indent}}`;
    return typeof value === 'string' || typeof value === 'number' ? JSON.stringify(value) : names[String(value)];
  };
  try {
    return write(JSON.parse(text), '  ');
  } catch {
    return JSON.stringify(text);
  }
}
function javascript(call, form) {
  const { url, headers, body } = request(call, form);
  const fields = [...(takes(call, 'X-Service-Client') ? [`'X-Service-Client': '${client}'`] : []), ...(bearer(call) ? ['Authorization: `Bearer ${process.env.TOKEN}`'] : []),
    ...(isRepeated(call) ? ["'Idempotency-Key': crypto.randomUUID()"] : []), ...Object.entries(headers).map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`)];
  return [`const answer = await fetch(${JSON.stringify(url)}, {`, ...(call.verb === 'get' ? [] : [`  method: '${call.verb.toUpperCase()}',`]),
    ...(fields.length ? [`  headers: {\n${fields.map((each) => `    ${each},\n`).join('')}  },`] : []),
    ...(body === undefined ? [] : [`  body: JSON.stringify(${literal(body)}),`]), '});', 'if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);',
    'console.log(await answer.json());'].join('\n');
}
function python(call, form) {
  const { url, headers, body } = request(call, form);
  const fields = [...(takes(call, 'X-Service-Client') ? [`"X-Service-Client": "${client}"`] : []), ...(bearer(call) ? ['"Authorization": "Bearer " + os.environ["TOKEN"]'] : []),
    ...(isRepeated(call) ? ['"Idempotency-Key": str(uuid.uuid4())'] : []), ...Object.entries(headers).map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`)];
  const modules = ['json', ...(bearer(call) ? ['os'] : []), 'urllib.request', ...(isRepeated(call) ? ['uuid'] : [])];
  return [`import ${modules.join(', ')}`, '', 'request = urllib.request.Request(', `  ${JSON.stringify(url)},`, ...(call.verb === 'get' ? [] : [`  method="${call.verb.toUpperCase()}",`]),
    ...(fields.length ? [`  headers={\n${fields.map((each) => `    ${each},\n`).join('')}  },`] : []),
    ...(body === undefined ? [] : [`  data=json.dumps(${literal(body, { true: 'True', false: 'False', null: 'None' })}).encode(),`]), ')',
    'with urllib.request.urlopen(request) as answer:  # HTTPError where it is refused', '  print(json.load(answer))'].join('\n');
}
const languages = { curl, JavaScript: javascript, Python: python };

const kept = {
  get: (name) => { try { return localStorage.getItem(name); } catch { return null; } },
  set: (name, value) => { try { localStorage.setItem(name, value); } catch { /* it is not kept then */ } },
};
async function copy(text, button, box) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    getSelection().selectAllChildren(box);
    document.execCommand('copy');
  }
  button.textContent = 'Copied';
  setTimeout(() => { button.textContent = 'Copy'; }, 2000);
}
function commandOf(call, form) {
  const box = make('pre', { id: 'command', tabIndex: 0 });
  const buttons = Object.keys(languages).map((name) => make('button', { type: 'button', textContent: name }));
  const write = () => {
    const chosen = languages[kept.get('language')] ? kept.get('language') : box.dataset.language ?? 'curl';
    box.dataset.language = chosen;
    box.textContent = languages[chosen](call, form);
    for (const button of buttons) button.setAttribute('aria-pressed', String(button.textContent === chosen));
  };
  for (const button of buttons) button.addEventListener('click', () => { box.dataset.language = button.textContent; kept.set('language', button.textContent); write(); });
  const copies = make('button', { type: 'button', textContent: 'Copy', className: 'end' });
  copies.addEventListener('click', () => copy(box.textContent, copies, box));
  form?.addEventListener('input', write);
  write();
  const bar = make('div', { className: 'bar' }, buttons, copies);
  bar.setAttribute('role', 'group');
  bar.setAttribute('aria-label', 'Language of the example');
  return [bar, box];
}
async function send(call, form, into) {
  const { url, headers, body } = request(call, form);
  const to = isRead(call) ? url : `${url}${url.includes('?') ? '&' : '?'}dryRun=true`;
  const token = form.querySelector('[name="token"]')?.value.trim();
  // An access token is a bare JWT; an API key is one behind a prefix of the server's.
  if (token) Object.assign(headers, token.startsWith('eyJ') ? { Authorization: `Bearer ${token}` } : { 'X-Service-Api-Key': token });
  into.replaceChildren(make('p', { textContent: 'Waiting for the answer …' }));
  try {
    const answer = await fetch(to, { method: call.verb.toUpperCase(), headers, body, credentials: 'omit' });
    const text = await answer.text();
    let shown = text;
    try { shown = pretty(JSON.parse(text)); } catch { /* it is no JSON */ }
    const told = [...answer.headers].map(([name, value]) => `${name}: ${value}`).join('\n');
    into.replaceChildren(make('p', {}, make('strong', { textContent: `${answer.status} ${answer.statusText}` })),
      make('pre', { textContent: shown, tabIndex: 0 }), make('details', {}, make('summary', { textContent: 'Headers' }), make('pre', { textContent: told, tabIndex: 0 })));
  } catch (why) {
    into.replaceChildren(make('p', { className: 'gone', textContent: `No answer came: ${why.message}` }));
  }
}
function trial(call) {
  const form = make('form', { className: 'try' });
  if (needsToken(call)) form.append(make('label', {}, make('span', { textContent: 'Access token, or API key; it stays in this page' }),
    make('input', { name: 'token', type: 'password', autocomplete: 'off', spellcheck: false })));
  if (!isRead(call)) form.append(make('p', { className: 'soft', textContent: 'Sent as a dry run: it is decided like any other, and leaves nothing behind.' }));
  for (const parameter of call.parameters.filter((each) => each.in !== 'header' && (isRead(call) || each.name !== 'dryRun'))) {
    const value = filled(call, parameter);
    form.append(make('label', {}, make('span', { textContent: `${parameter.name}${parameter.required ? ' (required)' : ''}` }),
      make('input', { name: `${parameter.in}.${parameter.name}`, value, required: Boolean(parameter.required), placeholder: String(parameter.example ?? '') })));
  }
  if (bodyOf(call)) form.append(make('label', {}, make('span', { textContent: 'body' }), make('textarea', { value: pretty(bodyOf(call).example), spellcheck: false })));
  const answer = make('div', { id: 'answer' });
  answer.setAttribute('role', 'status');
  form.append(make('button', { type: 'submit', textContent: 'Send' }), answer);
  form.addEventListener('submit', (event) => { event.preventDefault(); send(call, form, answer); });
  return form;
}
/** The answers; open are those that were asked for, and those that the search looks for by their status or a code. */
function answersOf(call) {
  const typed = wantedOf(at('search').value.toLowerCase().split(/\s+/));
  return Object.entries(call.responses).map(([status, response]) => {
    const full = seen(response);
    const [kind, content] = Object.entries(full.content ?? {})[0] ?? [];
    const headers = Object.entries(full.headers ?? {});
    const example = content?.example === undefined ? null : make('pre', { textContent: pretty(content.example), tabIndex: 0 });
    const said = [status, ...(content?.schema && !status.startsWith('2') ? codesIn(content.schema) : [])];
    return make('details', { open: status.startsWith('2') || said.some((each) => typed.includes(each.toLowerCase())) }, make('summary', {}, make('strong', { textContent: status }), kind ? ` ${kind}` : ''),
      paragraphs(full.description), example, content?.schema ? shape(content.schema) : null,
      headers.length ? make('p', { className: 'soft' }, 'Headers: ', headers.map(([name]) => name).join(', ')) : null);
  });
}
function show(call) {
  const facts = [['Who', access[call['x-access']]], ['Scope of a key', call['x-scope']], ['Rate class', call['x-rate-class']],
    ['Credentials', (call.security ?? []).map((each) => Object.keys(each).join(' and ') || 'none').join(', ') || 'none']];
  const body = bodyOf(call);
  const form = isTried(call) ? trial(call) : null;
  const title = make('h1', { textContent: call.summary });
  document.title = `${call.summary} · Credence API`;
  at('main').replaceChildren(...[title, make('code', { className: 'path' }, make('span', { className: `verb ${call.verb}`, textContent: call.verb.toUpperCase() }), ' ', pathOf(call)),
    call.deprecated ? make('p', { className: 'gone', textContent: 'Deprecated.' }) : null, ...paragraphs(call.description),
    make('p', {}, make('a', { href: `#op/${call.operationId}`, textContent: 'Link to this call' })),
    make('dl', { className: 'facts' }, facts.flatMap(([name, value]) => [make('dt', { textContent: name }), make('dd', { textContent: value })])),
    ...commandOf(call, form), ...(form ? [make('h2', { textContent: 'Try it' }), form] : []),
    ...(call.parameters.length ? [make('h2', { textContent: 'Parameters' }), make('ul', { className: 'rows' }, call.parameters.map((each) =>
      row(`${each.name} (${each.in})`, each.schema, each.required, each.description, [])))] : []),
    ...(body ? [make('h2', { textContent: 'Body' }), make('pre', { textContent: pretty(body.example), tabIndex: 0 }), ...shape(body.schema)] : []),
    make('h2', { textContent: 'Answers' }), ...answersOf(call)].filter(Boolean));
}
function showStart(unknown) {
  document.title = 'Credence API reference';
  at('main').replaceChildren(...(unknown ? [make('p', { className: 'gone', textContent: `There is no call named “${unknown}”. Search for it, or choose one from the list.` })] : []), make('h1', { textContent: `${whole.info.title} API ${whole.info.version}` }),
    make('p', {}, 'New here? The ', make('a', { href: 'docs/guides', textContent: 'guides' }), ' lead through a first bot, clients, signing in, lists, repeats, rates, trading, slashes and partners.'),
    ...paragraphs(whole.info.description), make('h2', { textContent: 'Credentials' }), make('ul', { className: 'rows' }, Object.entries(whole.components.securitySchemes).map(([name, each]) =>
      make('li', {}, make('p', {}, make('code', { textContent: name }), ` ${each.in ? `${each.in} ${each.name}` : each.scheme}`), make('p', {}, words(each.description))))),
    make('h2', { textContent: 'Resources' }), make('ul', {}, whole.tags.map((tag) => make('li', {}, make('strong', { textContent: tag.name }), ': ', words(tag.description)))),
    make('p', { className: 'soft', textContent: 'The search knows titles, paths, members, error codes, statuses and the guides. Keys: / searches, arrow keys walk through the list, Enter opens, Escape empties the search.' }));
}

// -- the list and the search --------------------------------------------------------------------

const smallWords = new Set('a an and at do does for how i in is many much my of on or the there through to what when with'.split(' '));
const weights = { title: 12, heading: 9, code: 8, path: 7, status: 6, member: 5, resource: 4, text: 1 };

/** Names of all members inside a schema. */
function namesIn(schema, into, above = new Set()) {
  const full = seen(schema);
  if (above.has(full.properties ?? full)) return into;
  above.add(full.properties ?? full);
  for (const [name, each] of Object.entries(full.properties ?? {})) {
    into.add(name);
    namesIn(each, into, above);
  }
  for (const each of [full.items, full.additionalProperties, ...(full.anyOf ?? []), ...(full.oneOf ?? []), ...(full.allOf ?? [])])
    if (each && typeof each === 'object') namesIn(each, into, above);
  return into;
}
function codesIn(schema) {
  const full = seen(schema);
  const own = full.properties?.code?.enum ?? [];
  return [...own, ...(full.allOf ?? []).flatMap(codesIn), ...(full.properties?.error ? codesIn(full.properties.error) : [])];
}
/** Lower case, with the parts of a name beside it: `voteType` is also found by `type`. */
const wordsOf = (text) => {
  const parts = String(text).replace(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase().split(/[^\p{L}\p{N}]+/u);
  return [...new Set([...String(text).toLowerCase().split(/[^\p{L}\p{N}_]+/u), ...parts])].filter(Boolean);
};
/** What the search looks at in a call: [kind, what is shown, words]. */
function indexOf(call) {
  const members = new Set(call.parameters.map((each) => each.name));
  if (bodyOf(call)) namesIn(bodyOf(call).schema, members);
  const codes = new Set();
  for (const [status, response] of Object.entries(call.responses)) {
    const schema = seen(response).content?.['application/json']?.schema;
    if (schema && status.startsWith('2')) namesIn(schema, members);
    if (schema) for (const code of codesIn(schema)) codes.add(code);
  }
  const found = [['title', call.summary], ['title', call.operationId], ['path', call.path.replace(/^\/api\/v\d/, '')], ['path', call.verb], ['resource', call.tags[0]], ['text', call.description ?? ''],
    ...[...members].map((each) => ['member', each]), ...[...codes].map((each) => ['code', each]),
    ...Object.keys(call.responses).filter((each) => each !== 'default').map((each) => ['status', each])];
  return [...found.map(([kind, text]) => [kind, text, wordsOf(text)]), ['path', call.path, [call.path, call.path.replace(/^\/api\/v\d/, '')].map((each) => each.toLowerCase())]]; // a path that is pasted, too
}
/** How well a word fits: 3 for a whole word, 2 for the beginning of one, 1 for a part, 0 for none. */
function fitOf(word, among) {
  let best = 0;
  for (const each of among) {
    if (each === word) return 3;
    if (each.startsWith(word)) best = 2;
    else if (best === 0 && word.length > 2 && !each.startsWith('/') && each.includes(word)) best = 1;
  }
  return best;
}
/** The words that say what somebody looks for, where a path is one; small ones only where there are no others. */
function wantedOf(typed) {
  const all = typed.flatMap((word) => (word.includes('/') ? [word] : word.split(/[^\p{L}\p{N}_]+/u))).filter(Boolean);
  const telling = all.filter((word) => !smallWords.has(word));
  return telling.length ? telling : all;
}
/** The rank of a call for what is typed, and what it was found by where its title does not show that; null where it does not fit. */
function match(call, typed) {
  const wanted = wantedOf(typed);
  call.index ??= indexOf(call);
  let rank = 0;
  const by = new Set();
  for (const word of wanted) {
    let best = 0;
    let hit = null;
    for (const [kind, text, among] of call.index) {
      const worth = weights[kind] * fitOf(word, among);
      if (worth > best) [best, hit] = [worth, [kind, text]];
    }
    if (!hit) return null;
    rank += best;
    if (['heading', 'member', 'code', 'status'].includes(hit[0])) by.add(`${hit[0]} ${hit[1]}`);
  }
  const title = call.summary.toLowerCase();
  if (title.startsWith(wanted[0])) rank += weights.title;
  if (title.includes(typed.join(' '))) rank += weights.title;
  return { call, rank: call.deprecated ? rank / 2 : rank, by: [...by].join(', ') };
}

/** The guides, for the search: their titles, headings and texts. They are read when somebody is about to search. */
async function readGuides() {
  const textOf = async (name) => {
    const answer = await fetch(`docs/guides/${name}`);
    if (!answer.ok) throw new Error(`docs/guides/${name}: ${answer.status}`);
    return answer.text();
  };
  const named = [...(await textOf('README')).matchAll(/^\| \[([^\]]+)\]\(([\w-]+)\.md\) \| (.*) \|$/gm)];
  guides = await Promise.all(named.map(async ([, summary, guide, holds]) => {
    const text = await textOf(guide);
    const headings = [...text.matchAll(/^##+ (.*)$/gm)].map(([, heading]) => ['heading', heading]);
    return { guide, summary, verb: 'guide', index: [['title', summary], ['heading', holds], ...headings, ['text', text]].map(([kind, each]) => [kind, each, wordsOf(each)]) };
  }));
  if (at('search').value) list();
}

/** A path that breaks behind its slashes. */
const pathOf = (call) => call.path.split(/(?<=\/)(?=.)/).flatMap((part) => [part, make('wbr')]);
const links = () => [...at('list').querySelectorAll('a')];
const link = (call, by) => make('li', {}, make('a', { href: call.guide ? `docs/guides#${call.guide}` : `#op/${call.operationId}` },
  make('span', { className: `verb ${call.verb}`, textContent: call.verb.toUpperCase() }), ` ${call.summary}`, by ? make('span', { className: 'by', textContent: by }) : null));
function list() {
  const wanted = at('search').value.toLowerCase().split(/\s+/).filter(Boolean);
  document.body.dataset.list = wanted.length ? 'open' : '';
  at('calls').setAttribute('aria-expanded', String(wanted.length > 0));
  if (wanted.length) {
    const found = [...guides, ...operations].map((call) => match(call, wanted)).filter(Boolean).sort((a, b) => b.rank - a.rank || operations.indexOf(a.call) - operations.indexOf(b.call));
    const pages = found.filter(({ call }) => call.guide).length;
    at('found').textContent = `${found.length - pages} of ${operations.length} calls${pages ? `, ${pages} of ${guides.length} guides` : ''}, the best first`;
    at('list').replaceChildren(make('ul', {}, found.map(({ call, by }) => link(call, by))));
  } else {
    at('found').textContent = `${operations.length} calls`;
    at('list').replaceChildren(...whole.tags.map((tag) => [tag.name, operations.filter((call) => call.tags[0] === tag.name)]).filter(([, calls]) => calls.length)
      .map(([name, calls]) => make('section', {}, make('h2', { textContent: name }), make('ul', {}, calls.map((call) => link(call))))));
  }
  mark();
}
function mark() {
  for (const each of links())
    if (each.hash === location.hash) each.setAttribute('aria-current', 'page');
    else each.removeAttribute('aria-current');
}
function go() {
  const call = operations.find((each) => `#op/${each.operationId}` === location.hash);
  if (call) show(call);
  else showStart(/^#op\/(.+)$/.exec(location.hash)?.[1]);
  document.body.dataset.list = '';
  at('calls').setAttribute('aria-expanded', 'false');
  mark();
  scrollTo(0, 0);
}
function turnList() {
  const open = document.body.dataset.list !== 'open';
  document.body.dataset.list = open ? 'open' : '';
  at('calls').setAttribute('aria-expanded', String(open));
}
function keys(event) {
  const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
  if (event.key === '/' && !typing) {
    event.preventDefault();
    return at('search').focus();
  }
  if (event.key === 'Escape' && event.target === at('search')) {
    at('search').value = '';
    return list();
  }
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step || !(event.target === at('search') || at('list').contains(event.target))) return undefined;
  event.preventDefault();
  const all = links();
  const next = all.indexOf(event.target) + step;
  return (next < 0 ? at('search') : all[Math.min(next, all.length - 1)])?.focus();
}

function turnTheme() {
  const dark = document.documentElement.dataset.theme ? document.documentElement.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  setTheme(dark ? 'light' : 'dark');
}
function setTheme(to) {
  document.documentElement.dataset.theme = to;
  at('theme').textContent = to === 'dark' ? 'Light' : 'Dark';
  kept.set('theme', to);
}

async function begin() {
  if (['dark', 'light'].includes(kept.get('theme'))) setTheme(kept.get('theme'));
  at('theme').addEventListener('click', turnTheme);
  const answer = await fetch('openapi.json');
  if (!answer.ok) throw new Error(`openapi.json: ${answer.status}`);
  whole = await answer.json();
  operations = Object.entries(whole.paths).flatMap(([path, item]) => verbs.filter((verb) => item[verb]).map((verb) => {
    const call = { ...item[verb], path, verb };
    call.parameters = (call.parameters ?? []).map(seen);
    return call;
  }));
  const place = (call) => (call.deprecated ? 2000 : 0) + (call['x-rank'] ?? 1000); // as they are used; what goes away comes last
  operations = operations.map((call, n) => [call, n]).sort(([a, i], [b, k]) => place(a) - place(b) || i - k).map(([call]) => call);
  at('search').addEventListener('input', list);
  at('search').addEventListener('focus', () => readGuides().catch(() => { /* calls alone are found then */ }), { once: true });
  at('calls').addEventListener('click', turnList);
  addEventListener('hashchange', () => { go(); at('main').focus({ preventScroll: true }); });
  document.addEventListener('keydown', keys);
  list();
  go();
}
begin().catch((why) => at('main').replaceChildren(make('p', { className: 'gone', textContent: `The document could not be read: ${why.message}` })));

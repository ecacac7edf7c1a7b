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
  return out.join('; ');
}
/** The object inside a schema whose members are worth a list, with its name. */
function insideOf(schema) {
  const full = seen(schema);
  if (full.type === 'array') return insideOf(full.items);
  if (full.properties) return full;
  if (typeof full.additionalProperties === 'object') return insideOf(full.additionalProperties);
  for (const each of full.anyOf ?? full.oneOf ?? full.allOf ?? []) {
    const found = insideOf(each);
    if (found) return found;
  }
  return null;
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
const isTried = (call) => call['x-access'] === 'open' && ['read', 'none'].includes(call['x-rate-class']);
const origin = () => new URL('.', document.baseURI).href.replace(/\/$/, '');

/** Values of parameters as they stand in the form, or as in the examples. */
function request(call, form) {
  let path = call.path;
  const query = new URLSearchParams();
  const headers = {};
  for (const parameter of call.parameters) {
    const field = form?.querySelector(`[name="${parameter.in}.${parameter.name}"]`);
    const value = field ? field.value : parameter.required ? String(parameter.example ?? '') : '';
    if (parameter.in === 'path') path = path.replace(`{${parameter.name}}`, encodeURIComponent(value));
    else if (value && parameter.in === 'query') query.append(parameter.name, value);
    else if (value && parameter.in === 'header') headers[parameter.name] = value;
  }
  const text = query.toString();
  const body = bodyOf(call) ? form?.querySelector('textarea')?.value ?? JSON.stringify(bodyOf(call).example) : undefined;
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  return { url: origin() + path + (text ? `?${text}` : ''), headers, body };
}
const quoted = (text) => `'${String(text).replace(/'/g, `'\\''`)}'`;
function curl(call, form) {
  const { url, headers, body } = request(call, form);
  const schemes = (call.security ?? []).map((each) => Object.keys(each)[0]).filter(Boolean);
  const credential = call['x-access'] === 'open' ? [] : schemes.includes('accessToken') || schemes.includes('partnerToken')
    ? ['-H "Authorization: Bearer $TOKEN"'] : [];
  return ['curl -s', ...(call.verb === 'get' ? [] : [`-X ${call.verb.toUpperCase()}`]), quoted(url), ...credential,
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`), ...(body === undefined ? [] : [`-d ${quoted(body)}`])].join(' ');
}
async function copy(text, button, box) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    getSelection().selectAllChildren(box);
    document.execCommand('copy');
  }
  button.textContent = 'Copied';
  setTimeout(() => { button.textContent = 'Copy as curl'; }, 2000);
}
function commandOf(call, form) {
  const box = make('pre', { textContent: curl(call, form), id: 'curl', tabIndex: 0 });
  const button = make('button', { type: 'button', textContent: 'Copy as curl' });
  button.addEventListener('click', () => copy(box.textContent, button, box));
  form?.addEventListener('input', () => { box.textContent = curl(call, form); });
  return [button, box];
}
async function send(call, form, into) {
  const { url, headers, body } = request(call, form);
  into.replaceChildren(make('p', { textContent: 'Waiting for the answer …' }));
  try {
    const answer = await fetch(url, { method: call.verb.toUpperCase(), headers, body, credentials: 'omit' });
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
  for (const parameter of call.parameters.filter((each) => each.in !== 'header')) {
    const value = parameter.required ? String(parameter.example ?? '') : '';
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
function answersOf(call) {
  return Object.entries(call.responses).map(([status, response]) => {
    const full = seen(response);
    const [kind, content] = Object.entries(full.content ?? {})[0] ?? [];
    const headers = Object.entries(full.headers ?? {});
    const example = content?.example === undefined ? null : make('pre', { textContent: pretty(content.example), tabIndex: 0 });
    return make('details', { open: status.startsWith('2') }, make('summary', {}, make('strong', { textContent: status }), kind ? ` ${kind}` : ''),
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
  at('main').replaceChildren(...[title, make('code', { className: 'path' }, make('span', { className: `verb ${call.verb}`, textContent: call.verb.toUpperCase() }), ` ${call.path}`),
    call.deprecated ? make('p', { className: 'gone', textContent: 'Deprecated.' }) : null, ...paragraphs(call.description),
    make('p', {}, make('a', { href: `#op/${call.operationId}`, textContent: 'Link to this call' })),
    make('dl', { className: 'facts' }, facts.flatMap(([name, value]) => [make('dt', { textContent: name }), make('dd', { textContent: value })])),
    ...commandOf(call, form), ...(form ? [make('h2', { textContent: 'Try it' }), form] : []),
    ...(call.parameters.length ? [make('h2', { textContent: 'Parameters' }), make('ul', { className: 'rows' }, call.parameters.map((each) =>
      row(`${each.name} (${each.in})`, each.schema, each.required, each.description, [])))] : []),
    ...(body ? [make('h2', { textContent: 'Body' }), make('pre', { textContent: pretty(body.example), tabIndex: 0 }), ...shape(body.schema)] : []),
    make('h2', { textContent: 'Answers' }), ...answersOf(call)].filter(Boolean));
}
function showStart() {
  document.title = 'Credence API reference';
  at('main').replaceChildren(make('h1', { textContent: `${whole.info.title} API ${whole.info.version}` }), ...paragraphs(whole.info.description),
    make('h2', { textContent: 'Credentials' }), make('ul', { className: 'rows' }, Object.entries(whole.components.securitySchemes).map(([name, each]) =>
      make('li', {}, make('p', {}, make('code', { textContent: name }), ` ${each.in ? `${each.in} ${each.name}` : each.scheme}`), make('p', {}, words(each.description))))),
    make('h2', { textContent: 'Resources' }), make('ul', {}, whole.tags.map((tag) => make('li', {}, make('strong', { textContent: tag.name }), ': ', words(tag.description)))),
    make('p', { className: 'soft', textContent: 'Keys: / searches, arrow keys walk through the list, Enter opens, Escape empties the search.' }));
}

// -- the list -----------------------------------------------------------------------------------

const links = () => [...at('list').querySelectorAll('a')];
function list() {
  const wanted = at('search').value.toLowerCase().split(/\s+/).filter(Boolean);
  const found = operations.filter((call) => wanted.every((word) => call.text.includes(word)));
  const groups = whole.tags.map((tag) => [tag.name, found.filter((call) => call.tags[0] === tag.name)]).filter(([, calls]) => calls.length);
  at('found').textContent = `${found.length} of ${operations.length} calls`;
  at('list').replaceChildren(...groups.map(([name, calls]) => make('section', {}, make('h2', { textContent: name }), make('ul', {}, calls.map((call) =>
    make('li', {}, make('a', { href: `#op/${call.operationId}` }, make('span', { className: `verb ${call.verb}`, textContent: call.verb.toUpperCase() }), ` ${call.summary}`)))))));
  mark();
}
function mark() {
  for (const link of links())
    if (link.hash === location.hash) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
}
function go() {
  const call = operations.find((each) => `#op/${each.operationId}` === location.hash);
  if (call) show(call);
  else showStart();
  mark();
  scrollTo(0, 0);
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
  try { localStorage.setItem('theme', to); } catch { /* it is not kept then */ }
}

async function begin() {
  let kept = null;
  try { kept = localStorage.getItem('theme'); } catch { /* there is none then */ }
  if (kept === 'dark' || kept === 'light') setTheme(kept);
  at('theme').addEventListener('click', turnTheme);
  const answer = await fetch('openapi.json');
  if (!answer.ok) throw new Error(`openapi.json: ${answer.status}`);
  whole = await answer.json();
  operations = Object.entries(whole.paths).flatMap(([path, item]) => verbs.filter((verb) => item[verb]).map((verb) => {
    const call = { ...item[verb], path, verb };
    call.parameters = (call.parameters ?? []).map(seen);
    call.text = [verb, path, call.summary, call.description, call.operationId, call.tags[0], ...call.parameters.map((each) => each.name)].join(' ').toLowerCase();
    return call;
  }));
  at('search').addEventListener('input', list);
  addEventListener('hashchange', () => { go(); at('main').focus(); });
  document.addEventListener('keydown', keys);
  list();
  go();
}
begin().catch((why) => at('main').replaceChildren(make('p', { className: 'gone', textContent: `The document could not be read: ${why.message}` })));

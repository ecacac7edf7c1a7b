// A page of a partner: signs a user in, and acts for them. `?service=` names the service.
const service = new URL(new URLSearchParams(location.search).get('service') || 'http://127.0.0.1:8080').origin;
const api = service + '/api/v2/';
const at = id => document.getElementById(id);
let token = null; // where the browser keeps no cookies of other sites; in memory alone

// Where the session has ended, its cookies may still be good for another one, which `auth-check` opens.
async function call(method, path, body) {
  const key = method === 'POST' ? crypto.randomUUID() : null;
  try {
    return await send(method, path, body, key);
  } catch (why) {
    if (why.status !== 401) throw why;
    token = null;
    const who = await send('GET', 'wallets/managed/auth-check');
    if (!who.ok) throw why;
    return send(method, path, body, key);
  }
}

async function send(method, path, body, key) {
  const headers = { 'X-Service-Client': 'partner-example@1.0' };
  if (body) headers['Content-Type'] = 'application/json';
  if (key) headers['Idempotency-Key'] = key;
  if (token) headers['Authorization'] = 'Bearer ' + token;
  const answer = await fetch(api + path, { method, headers, credentials: 'include', body: body && JSON.stringify(body) });
  const said = await answer.json();
  if (!answer.ok) throw Object.assign(new Error(said.code + ': ' + said.message), { code: said.code, status: answer.status });
  return said;
}

async function look() {
  const who = await call('GET', 'wallets/managed/auth-check');
  at('who').textContent = !who.ok ? 'Nobody is signed in.' : 'Signed in as profile ' + who.profileId + (who.enabled ? '.' : ', who has not let this page act.');
}

// A window of the service asks the user, and hands a code to this page, or says why not.
function signIn() {
  const state = crypto.randomUUID();
  const opened = window.open(api + 'wallets/managed/partners/sign-in?origin=' + encodeURIComponent(location.origin) + '&state=' + state, 'sign-in', 'width=480,height=640');
  if (!opened) throw new Error('the browser has blocked the window');
  return new Promise((resolve, reject) => {
    let seenClosed = 0; // also one that shows no page of the service, and so tells nothing
    const watch = setInterval(() => { if (opened.closed && ++seenClosed > 1) end(() => reject(new Error('closed'))); }, 500);
    const end = answer => {
      clearInterval(watch);
      removeEventListener('message', hear);
      answer();
    };
    function hear(event) {
      if (event.origin !== service || event.data?.type !== 'partner-sign-in' || event.data.state !== state) return;
      end(() => (event.data.code ? trade(event.data.code).then(resolve, reject) : reject(new Error(event.data.error))));
    }
    addEventListener('message', hear);
  });
}

async function trade(code) {
  token = (await call('POST', 'wallets/managed/partners/token', { code })).accessToken;
  return look();
}

async function signOut() {
  await call('DELETE', 'wallets/managed/session');
  token = null;
  await look();
}

function review(form) {
  const body = { score: 'positive', title: form.title.value, waitForTxTimeoutSeconds: 10 };
  if (form.content.value) body.content = form.content.value;
  const whom = form.whom.value.trim();
  if (/^0x[0-9a-fA-F]{40}$/.test(whom)) return call('POST', 'wallets/managed/post/review/by-address', { ...body, address: whom });
  const account = /^[0-9]+$/.test(whom) ? { id: whom } : { username: whom };
  return call('POST', 'wallets/managed/post/review/by-x', { ...body, x: account });
}

function act(form, what) {
  const path = 'wallets/activity/review/' + encodeURIComponent(form.elements.id.value) + '/';
  if (what === 'reply') return call('POST', path + 'reply', { content: form.content.value });
  return call('POST', path + 'vote', what === 'up' ? { isUpvote: true } : { isArchive: true });
}

const show = work => async event => {
  event.preventDefault();
  try {
    const said = await work(event);
    if (said) at('said').textContent = JSON.stringify(said, null, 1);
  } catch (why) {
    at('said').textContent = why.message;
  }
};
at('sign-in').onclick = show(signIn);
at('sign-out').onclick = show(signOut);
at('review').onsubmit = show(event => review(event.target));
at('activity').onsubmit = show(event => act(event.target, event.submitter.value));
look().catch(why => { at('who').textContent = why.message; });

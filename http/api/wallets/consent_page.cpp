#include "http/api/wallets/consent_page.hpp"

#include "http/api/sessions/sign_in.hpp"

namespace credence::http {

namespace {

constexpr std::string_view page = R"page(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Let an application act for you</title>
<style nonce="{nonce}">
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 30rem; margin: 3rem auto; padding: 0 1rem; color: #1b1f24; background: #fff }
  strong { overflow-wrap: anywhere }
  button { font: inherit; padding: .5rem 1rem; margin: 0 .5rem .5rem 0 }
</style>
</head>
<body>
<main>
  <h1>Let an application act for you?</h1>
  <p>The application at <strong id="origin"></strong> asks to act in your name: to write, edit and archive reviews, to vote, to reply, to invite, and to make and archive bonds. Where that happens on a chain, your wallet pays the gas.</p>
  <p id="who" role="status">Looking who you are &hellip;</p>
  <p>
    <button id="sign-in" type="button" hidden>Sign in with a wallet</button>
    <button id="allow" type="button" disabled>Allow</button>
    <button id="cancel" type="button">Cancel</button>
  </p>
  <p id="note" role="alert"></p>
</main>
<script nonce="{nonce}">
'use strict';
const asked = new URLSearchParams(location.search);
const origin = asked.get('origin') || '';
const at = id => document.getElementById(id);
let known = false; // the application is one of this service's partners
const say = text => { at('note').textContent = text; };

async function call(method, path, body) {
  const headers = { 'X-Service-Client': 'sign-in-page' };
  if (body) headers['Content-Type'] = 'application/json';
  const answer = await fetch('/api/v2/' + path, { method, headers, credentials: 'same-origin', body: body && JSON.stringify(body) });
  const said = await answer.json();
  if (!answer.ok) throw Object.assign(new Error(said.message), { status: answer.status });
  return said;
}

// Only a window of that very origin hears it.
function tell(message) {
  if (!window.opener) return say('Close this window and go back to the application.');
  if (!known) return window.close(); // whoever opened it may be anybody
  window.opener.postMessage({ type: 'partner-sign-in', state: asked.get('state'), ...message }, origin);
  window.close();
}

async function look() {
  let mine;
  try {
    mine = await call('GET', 'wallets/managed/partners');
  } catch (why) {
    if (why.status !== 401) throw why;
    try {
      await call('POST', 'auth/refresh', {});
      mine = await call('GET', 'wallets/managed/partners');
    } catch (again) {
      if (again.status !== 401) throw again;
    }
  }
  if (mine && !mine.origins.includes(origin)) {
    at('who').textContent = '';
    return say('This application is not known here, so it cannot act for anybody.');
  }
  known = Boolean(mine);
  at('who').textContent = mine ? 'You are signed in as profile ' + mine.profileId + '.' : 'You are not signed in here.';
  show();
  at('sign-in').hidden = Boolean(mine) || !window.ethereum;
  if (!mine && !window.ethereum) say('Sign in to this service first, then try again.');
}

async function signIn() {
  const [account] = await window.ethereum.request({ method: 'eth_requestAccounts' });
  const { nonce, address } = await call('GET', 'auth/nonce?address=' + encodeURIComponent(account));
  const now = Date.now();
  const message = [
    location.host + ' wants you to sign in with your Ethereum account:', address, '',
    '{statement}', '',
    'URI: ' + location.origin, 'Version: 1', 'Chain ID: {chain}', 'Nonce: ' + nonce,
    'Issued At: ' + new Date(now).toISOString(), 'Expiration Time: ' + new Date(now + 300000).toISOString(),
  ].join('\n');
  const signature = await window.ethereum.request({ method: 'personal_sign', params: [message, account] });
  await call('POST', 'auth/login', { message, signature });
  say('');
  await look();
}

async function allow() {
  calm = false;
  show();
  const { code } = await call('POST', 'wallets/managed/partners/codes', { origin });
  tell({ code });
}

// Whoever opens this window under a click that is on its way must not have it land on the button.
let calm = false;
const show = () => { at('allow').disabled = !(known && calm); };
const settle = () => {
  calm = false;
  show();
  setTimeout(() => { calm = document.hasFocus(); show(); }, 1000);
};
addEventListener('focus', settle);

const guarded = work => () => work().catch(why => { settle(); say(why.message); });
settle();
at('origin').textContent = origin || 'nowhere';
at('sign-in').onclick = guarded(signIn);
at('allow').onclick = guarded(allow);
at('cancel').onclick = () => tell({ error: 'cancelled' });
look().catch(why => say(why.message));
</script>
</body>
</html>
)page";

void put(std::string& into, std::string_view name, std::string_view value) {
  for (auto at = into.find(name); at != into.npos; at = into.find(name, at + value.size()))
    into.replace(at, name.size(), value);
}

} // namespace

std::string consent_page(std::string_view nonce, std::uint64_t chain_id) {
  std::string out{page};
  put(out, "{nonce}", nonce);
  put(out, "{chain}", std::to_string(chain_id));
  put(out, "{statement}", sign_in_statement);
  return out;
}

} // namespace credence::http

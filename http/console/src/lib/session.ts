// Who is signed in, and what the role allows. The server decides; the page leaves out what it would refuse.
import {effect, signal} from '@preact/signals';
import {ApiError, csrf, read, signedOut, write} from './api';
import {setLive} from './events';
import {reread} from './router';
import type {Role, Session, SignInTerms} from './contract';
import {checksummed, messageOf} from './siwe';

export const session = signal<Session | null>(null);
/** Whether it is known yet who is signed in. */
export const known = signal(false);
export const signInError = signal<ApiError | null>(null);

const ranks: Record<Role, number> = {wall: 0, viewer: 1, operator: 2, admin: 3};

export function can(role: Role): boolean {
  return session.value !== null && ranks[session.value.role] >= ranks[role];
}

function take(next: Session | null): void {
  csrf.value = next?.csrfToken ?? '';
  session.value = next;
  known.value = true;
  setLive(next !== null);
}

let seen = 0;
effect(() => {
  if (signedOut.value !== seen) {
    seen = signedOut.value;
    if (session.peek()) {
      signInError.value = new ApiError(401, 'Your session has ended', 'Sign in again; the address of this page leads back to where you were.');
      take(null);
    }
  }
});

function codeOfLink(): string | undefined {
  return /^#\/?link=(.+)$/.exec(location.hash)?.[1];
}

// A link may be opened where the page is open already.
window.addEventListener('hashchange', () => {
  if (codeOfLink()) void begin();
});

/** Finds out who is signed in; a link's code in the address is used first, and taken out of it. */
export async function begin(): Promise<void> {
  const link = codeOfLink();
  if (link) {
    history.replaceState(null, '', '#/');
    reread();
  }
  signInError.value = null;
  try {
    if (link) take(await write<Session>('POST', 'sign-in/link', {code: decodeURIComponent(link)}));
    else take(await read<Session>('session'));
  } catch (why) {
    const error = ApiError.from(why);
    if (error.status !== 401 || link) signInError.value = error;
    take(link ? await read<Session>('session').catch(() => null) : null); // a bad link ends nothing
  }
}

export async function signOut(): Promise<void> {
  await write('DELETE', 'session');
  take(null);
}

interface Wallet {
  request(call: {method: string; params?: unknown[]}): Promise<unknown>;
}

export function wallet(): Wallet | null {
  return (window as {ethereum?: Wallet}).ethereum ?? null;
}

function hex(text: string): string {
  return `0x${[...new TextEncoder().encode(text)].map(byte => byte.toString(16).padStart(2, '0')).join('')}`;
}

/** Has the browser's wallet sign the message of the terms; https://eips.ethereum.org/EIPS/eip-4361. */
export async function signInByWallet(): Promise<void> {
  signInError.value = null;
  const signer = wallet();
  if (!signer) return;
  try {
    const [account] = (await signer.request({method: 'eth_requestAccounts'})) as string[];
    if (!account) throw new ApiError(0, 'The wallet named no account', 'Unlock the wallet and let it show an account to this page.');
    const terms = await read<SignInTerms>('sign-in');
    const message = messageOf(terms, checksummed(account));
    const signature = await signer.request({method: 'personal_sign', params: [hex(message), account]});
    take(await write<Session>('POST', 'sign-in', {message, signature}));
  } catch (why) {
    const code = (why as {code?: unknown}).code;
    signInError.value = code === 4001 ? new ApiError(0, 'The wallet did not sign', 'The request was declined in the wallet.') : ApiError.from(why);
  }
}

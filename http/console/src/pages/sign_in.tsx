import type {JSX} from 'preact';
import {useEffect, useState} from 'preact/hooks';
import {signInByWallet, signInError, wallet} from '../lib/session';
import {Button, Failed} from '../ui/basics';
import {ThemeSwitch} from '../ui/shell';

export function SignInPage(): JSX.Element {
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    document.title = 'Sign in · Credence';
  }, []);
  const sign = async (): Promise<void> => {
    setBusy(true);
    await signInByWallet();
    setBusy(false);
  };
  return (
    <main class="sign-in" id="main">
      <h1>Credence console</h1>
      {signInError.value && <Failed error={signInError.value} />}
      <section class="panel stack" aria-labelledby="by-link">
        <h2 id="by-link">By a link</h2>
        <p>On the machine of the server, run <code>credence console-link</code> and open what it prints. A link is good once, and for a short while.</p>
      </section>
      <section class="panel stack" aria-labelledby="by-wallet">
        <h2 id="by-wallet">By a wallet</h2>
        {wallet()
          ? <>
              <p>The wallet signs a message; nothing is sent to a chain. Its profile must be an admin, operator or viewer of this server.</p>
              <p><Button kind="primary" onClick={() => void sign()} disabled={busy}>{busy ? 'Waiting for the wallet…' : 'Sign in with the wallet'}</Button></p>
            </>
          : <p class="quiet">This browser has no wallet. With one that shows itself to pages you can sign in as a profile that is an admin, operator or viewer.</p>}
      </section>
      <ThemeSwitch />
    </main>
  );
}

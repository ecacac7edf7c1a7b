// Buttons that copy a text, or the address of the view as it is filtered and sorted.
import type {JSX} from 'preact';
import {say} from './toasts';

function copy(text: string, said: string): void {
  void navigator.clipboard.writeText(text).then(() => say(said), () => say('The browser did not let the page copy. Select the text instead.', true));
}

export function Copy({text}: {text: string}): JSX.Element {
  return <button type="button" class="button small" onClick={() => copy(text, 'Copied.')}>Copy</button>;
}

export function CopyLink(): JSX.Element {
  return <button type="button" class="button small plain copy-link" onClick={() => copy(location.href, 'The link to this view is copied.')}>Copy link</button>;
}

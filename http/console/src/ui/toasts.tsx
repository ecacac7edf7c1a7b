// What is said in passing, and read aloud: an act that succeeded, a connection that came back.
import {signal} from '@preact/signals';
import type {JSX} from 'preact';

interface Toast {
  id: number;
  text: string;
  bad: boolean;
}

const toasts = signal<Toast[]>([]);
let last = 0;

export function say(text: string, bad = false): void {
  last += 1;
  const id = last;
  toasts.value = [...toasts.value.slice(-2), {id, text, bad}];
  setTimeout(() => dismiss(id), bad ? 12_000 : 6_000);
}

function dismiss(id: number): void {
  toasts.value = toasts.value.filter(toast => toast.id !== id);
}

export function Toasts(): JSX.Element {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(toast => (
        <div class={`toast${toast.bad ? ' bad' : ''}`} key={toast.id}>
          <span>{toast.text}</span>
          <button type="button" class="button plain small" onClick={() => dismiss(toast.id)} aria-label={`Dismiss: ${toast.text}`}>×</button>
        </div>
      ))}
    </div>
  );
}

// Dark or light: what the system prefers, unless the operator chose one.
import {effect, signal} from '@preact/signals';

export type Choice = 'system' | 'dark' | 'light';
const stored = 'credence-theme';
const dark = matchMedia('(prefers-color-scheme: dark)');

function remembered(): Choice {
  try {
    const value = localStorage.getItem(stored);
    return value === 'dark' || value === 'light' ? value : 'system';
  } catch {
    return 'system';
  }
}

export const choice = signal<Choice>(remembered());
const prefersDark = signal(dark.matches);
dark.addEventListener('change', event => {
  prefersDark.value = event.matches;
});

export const theme = signal<'dark' | 'light'>('light');
effect(() => {
  theme.value = choice.value === 'system' ? (prefersDark.value ? 'dark' : 'light') : choice.value;
  document.documentElement.dataset.theme = theme.value;
});

export function choose(next: Choice): void {
  choice.value = next;
  try {
    if (next === 'system') localStorage.removeItem(stored);
    else localStorage.setItem(stored, next);
  } catch {
    // Storage may be switched off; the choice then holds for this tab.
  }
}

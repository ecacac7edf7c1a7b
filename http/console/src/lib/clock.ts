// The server's time, as far as this page knows it; it moves once a second.
import {signal} from '@preact/signals';

let ahead = 0; // milliseconds
export const now = signal(Date.now());

/** Takes the server's clock from an answer or an event. */
export function serverTime(at: Date | null): void {
  if (at) ahead = at.getTime() - Date.now();
}

setInterval(() => {
  if (!document.hidden) now.value = Date.now() + ahead;
}, 1000);

// What a view shows: read once it is looked at, kept while it is read anew, with the error in plain words.
import {useSignal} from '@preact/signals';
import type {Signal} from '@preact/signals';
import {useCallback, useEffect, useRef} from 'preact/hooks';
import {ApiError, read} from './api';
import {revived} from './events';

export interface Resource<T> {
  data: Signal<T | null>;
  error: Signal<ApiError | null>;
  /** Whether an answer is awaited. */
  busy: Signal<boolean>;
  reload: () => void;
  /** Takes what came by another way, which is newer than any answer under way. */
  put: (data: T) => void;
}

/** Reads `path` and, on every change of it, reads again; `null` reads nothing. `everySeconds` reads on while the tab is looked at. */
export function useResource<T>(path: string | null, everySeconds = 0): Resource<T> {
  const data = useSignal<T | null>(null);
  const error = useSignal<ApiError | null>(null);
  const busy = useSignal(path !== null);
  const turn = useRef<AbortController | null>(null);
  const shown = useRef<string | null>(null);
  const puts = useRef(0);

  const load = useCallback(async () => {
    turn.current?.abort();
    if (path === null) {
      data.value = null;
      busy.value = false;
      return;
    }
    const mine = new AbortController();
    turn.current = mine;
    busy.value = true;
    const before = puts.current;
    try {
      const answer = await read<T>(path, mine.signal);
      if (mine.signal.aborted) return;
      if (puts.current === before) data.value = answer;
      shown.current = path;
      error.value = null;
    } catch (why) {
      if (mine.signal.aborted) return;
      if (puts.current === before) error.value = ApiError.from(why);
      if (shown.current !== path) data.value = null;
    }
    busy.value = false;
  }, [path]);

  const lives = revived.value;
  useEffect(() => {
    void load();
    const timer = everySeconds > 0 ? setInterval(() => { if (!document.hidden) void load(); }, everySeconds * 1000) : undefined;
    return () => {
      turn.current?.abort();
      clearInterval(timer);
    };
  }, [load, everySeconds, lives]);

  const reload = useCallback(() => void load(), [load]);
  const put = useCallback((next: T) => {
    puts.current += 1;
    data.value = next;
    error.value = null;
    shown.current = path;
  }, [path]);
  return {data, error, busy, reload, put};
}

// What a view shows and the stream keeps fresh.
import {useTopic} from './events';
import {useResource} from './resource';
import type {Resource} from './resource';

/** Reads `path` once, for its errors too, and takes every newer state from the topic. */
export function useLive<T>(path: string | null, topic: string | null): Resource<T> {
  const resource = useResource<T>(path);
  useTopic(path === null ? null : topic, resource.put as (data: unknown) => void, resource.reload);
  return resource;
}

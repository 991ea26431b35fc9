import { useSyncExternalStore } from 'react';

/** A value outside of React that components follow. */
export interface Store<T> {
  get(): T;
  set(value: T): void;
  update(change: Partial<T>): void;
  subscribe(listener: () => void): () => void;
}

export function createStore<T>(initial: T): Store<T> {
  let value = initial;
  const listeners = new Set<() => void>();
  const store: Store<T> = {
    get: () => value,
    set(next) {
      if (Object.is(next, value)) return;
      value = next;
      for (const listener of [...listeners]) listener();
    },
    update: (change) => store.set({ ...value, ...change }),
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  return store;
}

export const useStore = <T>(store: Store<T>): T => useSyncExternalStore(store.subscribe, store.get);

/** Reads JSON from the browser's storage. A missing or damaged entry gives the fallback. */
export function readStored<T>(name: string, fallback: T): T {
  try {
    const text = localStorage.getItem(`kontor.${name}`);
    return text ? (JSON.parse(text) as T) : fallback;
  } catch {
    return fallback;
  }
}

/** Writes JSON to the browser's storage: only preferences and views, never tokens or documents. */
export function writeStored(name: string, value: unknown): void {
  try {
    localStorage.setItem(`kontor.${name}`, JSON.stringify(value));
  } catch {
    // Storage is full or blocked. The console works without it.
  }
}

import { createStore, useStore } from '../app/store';

/** Whether the server responds to requests. */
export const connection = createStore<'online' | 'gone'>('online');
export const useConnection = () => useStore(connection);

const RETRY_MS = 2000;
let timer: ReturnType<typeof setTimeout> | undefined;
const returned = new Set<() => void>();

/** Runs the listener when the server responds again. */
export function onReturn(listener: () => void): () => void {
  returned.add(listener);
  return () => returned.delete(listener);
}

export function noteServerGone(): void {
  if (timer) return;
  connection.set('gone');
  timer = setTimeout(probe, RETRY_MS);
}

async function probe(): Promise<void> {
  timer = undefined;
  try {
    const response = await fetch('/console/config.json', { cache: 'no-store' });
    if (!response.ok) throw new Error(String(response.status));
    connection.set('online');
    for (const listener of [...returned]) listener();
  } catch {
    timer = setTimeout(probe, RETRY_MS);
  }
}

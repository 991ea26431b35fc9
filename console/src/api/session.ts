import { createStore, useStore } from '../app/store';
import { callConsole, type Session } from './console';
import { ApiError } from './errors';

/** `expired`: the operator must sign in again; requests wait, and what was typed stays. */
export type SessionState =
  | { state: 'unknown' }
  | { state: 'signed-out' }
  | { state: 'signed-in'; session: Session }
  | { state: 'expired'; session: Session };

export const sessionStore = createStore<SessionState>({ state: 'unknown' });
let waiting: (() => void)[] = [];

export function useSession(): Session {
  const current = useStore(sessionStore);
  if (!('session' in current)) throw new Error('nobody is signed in');
  return current.session;
}

export function enter(session: Session): void {
  const before = sessionStore.get();
  if ('session' in before && before.session.operator.id !== session.operator.id) {
    location.assign('/console/');
    return;
  }
  sessionStore.set({ state: 'signed-in', session });
  for (const resume of waiting) resume();
  waiting = [];
}

/** Resolves when the operator has signed in again. */
function waitForSignIn(): Promise<void> {
  const current = sessionStore.get();
  if (current.state === 'signed-in') sessionStore.set({ state: 'expired', session: current.session });
  return new Promise((resolve) => waiting.push(resolve));
}

export async function loadSession(): Promise<void> {
  try {
    enter(await callConsole<Session>('GET', 'session'));
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 401)) throw error;
    sessionStore.set({ state: 'signed-out' });
  }
}

export async function signIn(email: string, password: string): Promise<void> {
  enter(await callConsole<Session>('POST', 'sign-in', { email, password }));
}

export async function signOut(): Promise<void> {
  await callConsole('POST', 'sign-out');
  location.assign('/console/');
}

/** Calls `/console/api`; waits for a new sign-in if the session has ended. */
export async function callSignedIn<T>(method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown): Promise<T> {
  for (;;) {
    try {
      return await callConsole<T>(method, path, body);
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 401)) throw error;
      await waitForSignIn();
    }
  }
}

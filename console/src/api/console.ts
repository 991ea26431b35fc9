import { noteServerGone } from './connection';
import { errorOf, ServerGone } from './errors';

export interface Configuration {
  version: string;
  mode: 'embedded' | 'remote';
  apiBase: string;
  setup: boolean;
  oidc: { name: string } | null;
  testControls: boolean;
}

export interface Session {
  operator: { id: string; email: string; name: string };
  administrator: boolean;
  projects: { key: string; name?: string; role: string; scopes: string[] }[];
  expiresAt: string;
  /** The operator came by a link and has no password yet. */
  setPassword?: boolean;
}

export interface Operator {
  id: string;
  email: string;
  name: string;
  roles: { project: string; role: string }[];
}

export interface Role {
  name: string;
  scopes: string[];
  builtIn: boolean;
}

/** The state of the server as it reports it. Parts that the server does not know are absent. */
export interface Status {
  health?: 'ok' | 'degraded';
  reasons?: string[];
  disk?: { freeBytes: number; totalBytes: number; full?: boolean };
  search?: { index: string; lag?: number; state?: string; indexed?: number; failed?: number }[];
  deliveries?: { waiting?: number; failed?: number };
}

/** Calls `/console/api/{path}`. */
export async function callConsole<T>(method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown): Promise<T> {
  let response: Response;
  try {
    response = await fetch(`/console/api/${path}`, {
      method,
      credentials: 'same-origin',
      cache: 'no-store',
      headers: method === 'GET' ? {} : { 'Content-Type': 'application/json', 'X-Kontor-Console': '1' },
      body: method === 'POST' ? JSON.stringify(body ?? {}) : undefined,
    });
  } catch {
    noteServerGone();
    throw new ServerGone();
  }
  if (!response.ok) throw await errorOf(response);
  return (response.status === 204 ? undefined : await response.json()) as T;
}

export async function readConfiguration(): Promise<Configuration> {
  const response = await fetch('/console/config.json', { cache: 'no-store' });
  if (!response.ok) throw await errorOf(response);
  return (await response.json()) as Configuration;
}

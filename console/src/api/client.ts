import { noteServerGone } from './connection';
import { ApiError, errorOf, ServerGone } from './errors';
import { callSignedIn } from './session';

interface Token {
  accessToken: string;
  expiresAt: number;
  scopes: string[];
}

export interface RequestOptions {
  method?: 'GET' | 'POST' | 'DELETE' | 'HEAD';
  query?: Record<string, string | number | boolean | string[] | undefined>;
  body?: unknown;
  /** A file, sent as it is instead of a body in JSON. */
  file?: Blob;
  signal?: AbortSignal;
}

/** Tokens are renewed this long before they expire. */
const RENEW_BEFORE_MS = 30_000;
const WAITS_MAX = 3;
const WAIT_MS_MAX = 10_000;

/** Sends requests to the API of one project, with tokens that stay in memory. */
export class Client {
  private token?: Promise<Token>;
  private expiresAt = 0;

  constructor(
    readonly project: string,
    private readonly base: string,
  ) {}

  private getToken(): Promise<Token> {
    if (!this.token || Date.now() > this.expiresAt - RENEW_BEFORE_MS) {
      this.expiresAt = Number.POSITIVE_INFINITY;
      this.token = callSignedIn<{ accessToken: string; expiresIn: number; scope: string[] }>('POST', 'token', {
        project: this.project,
      }).then(
        (answer) => {
          this.expiresAt = Date.now() + answer.expiresIn * 1000;
          return { accessToken: answer.accessToken, expiresAt: this.expiresAt, scopes: answer.scope };
        },
        (error: unknown) => {
          this.token = undefined;
          throw error;
        },
      );
    }
    return this.token;
  }

  /** Gets a token before the first request needs it. */
  prepare(): void {
    this.getToken().catch(() => undefined); // The first request reports the error.
  }

  private dropToken(): void {
    this.token = undefined;
    this.expiresAt = 0;
  }

  /** The address of a request. `path` is below the project, e.g. `categories`; with a service, e.g. `checkout`, that comes first. */
  url(path: string, query: RequestOptions['query'] = {}, service?: string): string {
    const parameters = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) {
      if (value === undefined) continue;
      for (const one of Array.isArray(value) ? value : [value]) parameters.append(name, String(one));
    }
    const text = parameters.toString();
    const parts = [
      this.base,
      service ? `/${service}` : '',
      `/${encodeURIComponent(this.project)}`,
      path ? `/${path}` : '',
      text ? `?${text}` : '',
    ];
    return parts.join('');
  }

  private async send(url: string, options: RequestOptions): Promise<Response> {
    const { accessToken } = await this.getToken();
    try {
      return await fetch(url, {
        method: options.method ?? 'GET',
        signal: options.signal,
        credentials: 'omit',
        cache: 'no-store',
        headers: {
          Authorization: `Bearer ${accessToken}`,
          ...(options.file
            ? { 'Content-Type': options.file.type || 'application/octet-stream' }
            : options.body === undefined
              ? {}
              : { 'Content-Type': 'application/json' }),
        },
        body: options.file ?? (options.body === undefined ? undefined : JSON.stringify(options.body)),
      });
    } catch (error) {
      if (options.signal?.aborted) throw error;
      noteServerGone();
      throw new ServerGone();
    }
  }

  /** Sends a request. A refused token is renewed once; `429` and `503` with `Retry-After` are tried again. */
  async request<T>(path: string, options: RequestOptions & { service?: string } = {}): Promise<T> {
    const url = this.url(path, options.query, options.service);
    let renewed = false;
    for (let waits = 0; ;) {
      const response = await this.send(url, options);
      if (response.ok) return (response.status === 204 || options.method === 'HEAD' ? undefined : await response.json()) as T;
      const error = await errorOf(response);
      if (response.status === 401 && !renewed) {
        renewed = true;
        this.dropToken();
      } else if ((response.status === 429 || (response.status === 503 && error.retryAfter)) && waits < WAITS_MAX) {
        waits += 1;
        await new Promise((resolve) => setTimeout(resolve, Math.min((error.retryAfter ?? waits) * 1000, WAIT_MS_MAX)));
      } else throw error;
    }
  }

  /** Like `request`, but a 404 is `undefined`. */
  async find<T>(path: string, options: RequestOptions & { service?: string } = {}): Promise<T | undefined> {
    try {
      return await this.request<T>(path, options);
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return undefined;
      throw error;
    }
  }
}

const clients = new Map<string, Client>();
export function clientFor(project: string, base: string): Client {
  let client = clients.get(project);
  if (!client) clients.set(project, (client = new Client(project, base)));
  return client;
}

/** How to start a server. */
export interface StartOptions {
  /** The binary. Default: `KONTOR_BIN`, the optional dependency for this platform, or `kontor` in `PATH`. */
  binary?: string
  /** More flags of `kontor serve`, e.g. `['--strict']`. */
  flags?: string[]
  /** The log filter of the server. Default: `warn`. */
  log?: string
}

/** Starts a server in memory at a free port. */
export function startKontor(options?: StartOptions): Promise<Kontor>
/** A server that runs already, e.g. in a container. */
export function connectKontor(url: string, options?: { testToken?: string }): Kontor
/** The path of the binary that `startKontor` uses. */
export function findBinary(): string

/** A running server. */
export class Kontor {
  private constructor()
  readonly url: string
  /** Creates a project, with a client that has every scope. Without a key it is random. */
  project(draft?: ProjectDraft): Promise<Project>
  /** Stops the server and waits for its end. A server that this process has not started continues. */
  stop(): Promise<void>
}

export interface ProjectDraft {
  key?: string
  clientId?: string
  clientSecret?: string
  /** Names of flags of `serve` that are set for this project only. */
  choices?: string[]
}

/** A project of a test. Paths are below the project, e.g. `/categories`. */
export interface Project {
  /** The address of the server, of its API and of its authorization service. */
  readonly url: string
  readonly key: string
  readonly clientId: string
  readonly clientSecret: string

  /** An access token of the project's client, requested once. */
  token(): Promise<string>
  /** A new access token. Tokens expire by the clock of the project, after two days. */
  requestToken(): Promise<string>
  get<T = any>(path: string, parameters?: Record<string, string | number | boolean | undefined>): Promise<T>
  post<T = any>(path: string, body: unknown): Promise<T>
  delete<T = any>(path: string, parameters?: Record<string, string | number | boolean | undefined>): Promise<T>
  request<T = any>(method: string, path: string, body?: unknown): Promise<T>

  /** Sets the clock. It continues to run. */
  setClock(now: Date | string): Promise<{ now: string }>
  /** Moves the clock; a negative number moves it back. */
  advanceClock(seconds: number): Promise<{ now: string }>
  /** Returns to real time. */
  resetClock(): Promise<{ now: string }>

  /** Lets the next requests fail, wait or lose their connection. */
  fault(fault: Fault): Promise<{ waiting: number }>
  /** Waits for searches, derived fields and deliveries of earlier changes. */
  settle(): Promise<void>
  /** Saves the content, and returns the id of the snapshot. */
  snapshot(): Promise<string>
  restore(id: string): Promise<void>
  /** Deletes the content, the faults and the logs. */
  reset(): Promise<void>
  /** Removes the project with its clients and tokens. */
  remove(): Promise<void>

  /** The requests that the project got, the newest first. */
  requests(filter?: { status?: string | number; client?: string; path?: string; limit?: number }): Promise<RecordedRequest[]>
  clearRequests(): Promise<void>
  /** What Subscriptions and API Extensions were sent, the newest first. */
  deliveries(filter?: { subscription?: string; extension?: string; status?: string; limit?: number }): Promise<RecordedDelivery[]>
  clearDeliveries(): Promise<void>
}

export interface Fault {
  method?: string
  /** The path below the project; `*` at its end matches anything. */
  path?: string
  /** In place of method and path: the destination of requests that the server sends. */
  url?: string
  status?: number
  delayMs?: number
  disconnect?: boolean
  panic?: boolean
  /** The number of requests. Default: 1. */
  times?: number
}

export interface RecordedRequest {
  at: string
  method: string
  path: string
  status: number
  durationMs: number
  clientId?: string
  correlationId: string
  reason?: string
  body?: any
  [field: string]: unknown
}

export interface RecordedDelivery {
  at: string
  status: string
  requestBody?: string
  responseBody?: string
  [field: string]: unknown
}

/** A response with an error status. `body` is the error of the API. */
export class KontorError extends Error {
  readonly status: number
  readonly body: any
}

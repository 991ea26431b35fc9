/** An error response of the API, or of `/console/api`. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly errors: { code: string; message: string; currentVersion?: number; field?: string }[] = [],
    readonly retryAfter?: number,
  ) {
    super(message);
    this.name = 'ApiError';
  }

  get code(): string | undefined {
    return this.errors[0]?.code;
  }

  get isConflict(): boolean {
    return this.status === 409;
  }
}

/** The error of a request to which the server did not respond. */
export class ServerGone extends Error {
  constructor() {
    super('The server does not answer.');
    this.name = 'ServerGone';
  }
}

export async function errorOf(response: Response): Promise<ApiError> {
  const retryAfter = Number(response.headers.get('Retry-After')) || undefined;
  try {
    const body = (await response.json()) as { message?: string; error_description?: string; errors?: ApiError['errors'] };
    return new ApiError(
      response.status,
      body.message ?? body.error_description ?? response.statusText,
      body.errors ?? [],
      retryAfter,
    );
  } catch {
    return new ApiError(response.status, response.statusText || `HTTP ${response.status}`, [], retryAfter);
  }
}

/** Returns the position of an error in a predicate if the message has one, e.g. `… (line 1, column 24)`. */
export function positionOf(error: unknown): { line: number; column: number } | undefined {
  const found = error instanceof Error && error.message.match(/line (\d+), column (\d+)/);
  return found ? { line: Number(found[1]), column: Number(found[2]) } : undefined;
}

import { useQuery } from '@tanstack/react-query';
import type { Status } from '../../api/console';
import { ApiError } from '../../api/errors';
import { useApp, useProject } from '../../api/project';
import { callSignedIn } from '../../api/session';

const REFRESH_MS = 5000;

/** Requests the server's status of searches, deliveries and disk; there is none if the project is on another server. */
export function useServerStatus() {
  const { configuration } = useApp();
  const { key } = useProject();
  return useQuery({
    queryKey: [key, 'status', 'developers'],
    enabled: configuration.mode === 'embedded',
    refetchInterval: REFRESH_MS,
    queryFn: () =>
      callSignedIn<Status>('GET', `status?project=${encodeURIComponent(key)}`).catch((error: unknown): Status => {
        if (error instanceof ApiError && (error.status === 404 || error.status === 403)) return {};
        throw error;
      }),
  });
}

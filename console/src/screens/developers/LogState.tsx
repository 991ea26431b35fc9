import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { EmptyState, ErrorState, Skeleton } from '../../ui/Feedback';

interface LogStateProps {
  /** `null`: the server keeps no such log. */
  log: UseQueryResult<unknown[] | null>;
  absent: { title: string; hint: string };
  /** In place of the rows if none are shown. */
  empty: { title: string; hint?: string } | undefined;
  children: ReactNode;
}

/** The rows of a log, or why there are none. */
export function LogState({ log, absent, empty, children }: LogStateProps) {
  if (log.error) return <ErrorState error={log.error} onRetry={() => void log.refetch()} />;
  if (log.data === undefined) return <Skeleton lines={7} />;
  if (log.data === null)
    return (
      <EmptyState icon="info" title={absent.title}>
        {absent.hint}
      </EmptyState>
    );
  if (empty)
    return (
      <EmptyState icon="check" title={empty.title}>
        {empty.hint}
      </EmptyState>
    );
  return children;
}

import { useMemo } from 'react';
import { useProject } from '../api/project';
import { useSession } from '../api/session';
import { mayOpen } from './navigation';
import type { Language } from './preferences';

/**
 * A task in the words of operators: the palette opens the page on which it is done. `src/screens/<area>/tasks.ts` exports them as
 * `tasks`.
 */
export interface Task {
  label: Record<Language, string>;
  /** The steps on that page, if they are not obvious: `open it, then Refund`. */
  hint?: Record<Language, string>;
  /** Other words for it in both languages, e.g. `coupon voucher Gutschein`. */
  words: string;
  path: string;
  scopes?: string[];
  administrator?: boolean;
}

const found = import.meta.glob<{ tasks: Task[] }>('../screens/*/tasks.ts', { eager: true });
const all: Task[] = Object.keys(found)
  .sort()
  .flatMap((path) => found[path]!.tasks);

/** The tasks that the operator's role allows. */
export function useTasks(): Task[] {
  const { scopes } = useProject();
  const { administrator } = useSession();
  return useMemo(() => all.filter((task) => mayOpen(task, scopes, administrator)), [scopes, administrator]);
}

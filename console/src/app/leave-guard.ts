import { useEffect } from 'react';
import { createStore } from './store';

/** Asks before a page with unsaved changes is left. */
export const pendingLeave = createStore<{ go: () => void } | undefined>(undefined);
let unsaved = 0;

export const hasUnsavedChanges = () => unsaved > 0;

export function useLeaveGuard(active: boolean): void {
  useEffect(() => {
    if (!active) return undefined;
    unsaved += 1;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => {
      unsaved -= 1;
      removeEventListener('beforeunload', warn);
    };
  }, [active]);
}

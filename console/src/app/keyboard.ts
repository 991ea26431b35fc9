import { useLayoutEffect, useRef } from 'react';

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) ||
    target.closest('[role="dialog"], [role="menu"], [role="listbox"]') !== null ||
    target.shadowRoot !== null);

/** The time within which the second key of `g o` must follow. */
const SECOND_KEY_MS = 1200;

/**
 * Runs a function for a key, e.g. `/`, `j`, `g o` or `mod+k` (Ctrl, on a Mac Cmd). Keys without `mod` do nothing while the
 * operator types or a dialog is open.
 */
export function useShortcuts(shortcuts: Record<string, (event: KeyboardEvent) => void>, enabled = true): void {
  // A new render, e.g. when data arrive, must not forget the `g` of `g o`.
  const first = useRef<{ key: string; at: number }>(undefined);
  // Before the page is painted: an operator may press a key as soon as the page is visible.
  useLayoutEffect(() => {
    if (!enabled) return undefined;
    const listen = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.altKey) return;
      const mod = event.ctrlKey || event.metaKey;
      const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
      if (!mod && isTyping(event.target)) return;
      const last = first.current;
      const two = last && Date.now() - last.at < SECOND_KEY_MS ? `${last.key} ${key}` : '';
      const name = mod ? `mod+${key}` : shortcuts[two] ? two : key;
      const run = shortcuts[name];
      first.current = !mod && key.length === 1 ? { key, at: Date.now() } : undefined;
      if (!run) return;
      event.preventDefault();
      run(event);
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, [shortcuts, enabled]);
}

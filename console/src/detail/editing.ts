import { createContext, useCallback, useContext, useEffect, useMemo, useState } from 'react';
import { ApiError } from '../api/errors';
import { useCreate, useDocument, useUpdate } from '../api/hooks';
import { useModel } from '../api/project';
import { screensOf } from '../app/areas';
import { useLeaveGuard } from '../app/leave-guard';
import { compareSides, mergeSides, planChanges, type Difference, type Plan } from '../model/changes';
import { asInput } from '../model/draft';
import type { Document, Json, JsonObject, Kind, UpdateAction } from '../model/types';
import { equal } from '../model/values';
import { notify } from '../ui/Feedback';
import { useDetailTexts } from './texts';

export interface Conflict {
  theirs: Document;
  differences: Difference[];
}

/** The changes of one document: what was edited in forms, and actions that were added one by one. */
export interface Editing {
  document: Document;
  edited: JsonObject;
  set: (next: JsonObject) => void;
  setField: (name: string, value: Json | undefined) => void;
  queued: UpdateAction[];
  queue: (action: UpdateAction) => void;
  unqueue: (at: number) => void;
  plan: Plan;
  /** All actions that a save sends. */
  actions: UpdateAction[];
  /** For kinds without update actions whose documents are replaced by a new creation: the draft that a save sends. */
  replacement: JsonObject | undefined;
  isDirty: boolean;
  discard: () => void;
  /** Saves all actions, and with them further ones. */
  save: (more?: UpdateAction[]) => Promise<boolean>;
  isSaving: boolean;
  error: unknown;
  conflict: Conflict | undefined;
  resolve: (takeMine: ReadonlySet<string>) => void;
  cancelConflict: () => void;
  /** The newer version of the document, if one was saved elsewhere while this one was edited. */
  newer: Document | undefined;
}

export interface OpenDocument {
  editing: Editing;
  /** Shows the update actions before they are saved. */
  review: () => void;
  /** Whether the operator may change the document. */
  mayUpdate: boolean;
}

const OpenDocumentContext = createContext<OpenDocument | undefined>(undefined);
export const OpenDocumentProvider = OpenDocumentContext.Provider;

/** The document of the open page and its changes, for hand-made parts of a detail page. */
export function useOpenDocument(): OpenDocument {
  const open = useContext(OpenDocumentContext);
  if (!open) throw new Error('outside of a detail page');
  return open;
}

/** Whether a creation with the same address replaces a document, instead of update actions. */
export const isReplaced = (kind: Kind): boolean =>
  !kind.operations.includes('update') && kind.operations.includes('create') && (kind.address?.length ?? 0) > 0;

/** Edits a document. Every change becomes update actions. */
export function useEditing(kind: Kind, current: Document, name: (document: Document) => string): Editing {
  const t = useDetailTexts();
  const model = useModel();
  const update = useUpdate(kind);
  const create = useCreate(kind);
  const [document, setDocument] = useState(current);
  const [edited, setEdited] = useState<JsonObject>(current);
  const [queued, setQueued] = useState<UpdateAction[]>([]);
  const [conflict, setConflict] = useState<Conflict>();
  const [error, setError] = useState<unknown>();
  const planner = screensOf(kind).planner;
  const plan = useMemo(() => planChanges(model, kind, document, edited, planner), [model, kind, document, edited, planner]);
  const actions = useMemo(() => [...plan.actions, ...queued], [plan, queued]);
  const isDirty = actions.length > 0 || !equal(document, edited);
  const replacement = useMemo(
    () =>
      isReplaced(kind) && kind.draft
        ? { ...(asInput(model, edited, { type: kind.draft, list: 0 }) as JsonObject), version: document.version }
        : undefined,
    [model, kind, edited, document.version],
  );
  useLeaveGuard(isDirty);
  const latest = useDocument(kind, kind.singleton ? '' : document.id, { enabled: false });
  const restart = useCallback((next: Document) => {
    setDocument(next);
    setEdited(next);
    setQueued([]);
    setConflict(undefined);
    setError(undefined);
  }, []);
  const isNewer = current.version > document.version;
  useEffect(() => {
    if (isNewer && !isDirty) restart(current);
  }, [isNewer, isDirty, current, restart]);

  const undo = async (before: Document, after: Document) => {
    const back = planChanges(model, kind, after, before, planner);
    try {
      if (back.actions.length > 0) restart(await update.mutateAsync({ document: after, actions: back.actions }));
      if (back.impossible.length > 0) notify({ look: 'danger', text: t('undoPartly', { fields: back.impossible.join(', ') }) });
      else notify({ look: 'success', text: t('undone') });
    } catch (reason) {
      notify({ look: 'danger', text: t('undo'), detail: reason instanceof Error ? reason.message : String(reason) });
    }
  };

  const save = async (more: UpdateAction[] = []): Promise<boolean> => {
    setError(undefined);
    const before = document;
    try {
      const all = [...actions, ...more];
      const after = replacement
        ? await create.mutateAsync(replacement)
        : await update.mutateAsync({ document: before, actions: all });
      restart(after);
      // Actions that leave no trace in the document, e.g. on an assignment, have no opposite that could be found.
      const mayUndo = !replacement && more.length === 0 && planChanges(model, kind, after, before, planner).actions.length > 0;
      notify({
        look: 'success',
        text: t('saved', { name: name(after) }),
        action: mayUndo ? { label: t('undo'), run: () => void undo(before, after) } : undefined,
      });
      return true;
    } catch (reason) {
      if (reason instanceof ApiError && reason.isConflict && reason.code === 'ConcurrentModification') {
        const { data: theirs } = await latest.refetch();
        if (theirs && theirs.version !== before.version) {
          setConflict({ theirs, differences: compareSides(before, edited, theirs) });
          return false;
        }
      }
      setError(reason);
      return false;
    }
  };

  const resolve = (takeMine: ReadonlySet<string>) => {
    if (!conflict) return;
    setDocument(conflict.theirs);
    setEdited(mergeSides(edited, conflict.theirs, takeMine, document));
    setConflict(undefined);
    setError(undefined);
  };

  return {
    document,
    edited,
    set: setEdited,
    queued,
    plan,
    actions,
    replacement,
    isDirty,
    error,
    conflict,
    resolve,
    save,
    isSaving: update.isPending || create.isPending,
    setField: useCallback(
      (field, value) =>
        setEdited((now) => {
          const next = { ...now };
          if (value === undefined) delete next[field];
          else next[field] = value;
          return next;
        }),
      [],
    ),
    queue: (action) => setQueued((now) => [...now, action]),
    unqueue: (at) => setQueued((now) => now.filter((_, index) => index !== at)),
    discard: () => restart(isNewer ? current : document),
    cancelConflict: () => setConflict(undefined),
    newer: isNewer && isDirty ? current : undefined,
  };
}

import { useCallback, useMemo, useState, type ReactNode } from 'react';
import { useKind } from '../api/hooks';
import { usePreferences } from '../app/preferences';
import { titleOf } from '../model/display';
import type { Document, Kind } from '../model/types';
import { ChangedElsewhere } from './ChangedElsewhere';
import { ConflictDialog } from './ConflictDialog';
import { OpenDocumentProvider, useEditing } from './editing';
import { ReviewPanel } from './ReviewPanel';
import { SaveBar } from './SaveBar';

/**
 * A document that a page of its own changes: its children use `useOpenDocument()`, as the parts of the generic detail do. Changes, the review
 * of the update actions and conflicts are done here.
 */
export function EditableDocument({ kind, document, children }: { kind: Kind; document: Document; children: ReactNode }) {
  const { language } = usePreferences();
  const { mayManage } = useKind(kind.name);
  const [isReviewed, setReviewed] = useState(false);
  const name = useCallback((one: Document) => titleOf(kind, one, language), [kind, language]);
  const editing = useEditing(kind, document, name);
  const review = useCallback(() => setReviewed(true), []);
  const opened = useMemo(() => ({ editing, mayUpdate: mayManage, review }), [editing, mayManage, review]);
  return (
    <OpenDocumentProvider value={opened}>
      <ChangedElsewhere editing={editing} />
      {children}
      {editing.isDirty && <SaveBar editing={editing} onReview={review} />}
      <ReviewPanel kind={kind} editing={editing} isOpen={isReviewed} onClose={() => setReviewed(false)} />
      {editing.conflict && <ConflictDialog kind={kind} editing={editing} conflict={editing.conflict} />}
    </OpenDocumentProvider>
  );
}

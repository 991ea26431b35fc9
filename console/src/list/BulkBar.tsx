import { Suspense, useState } from 'react';
import { useRemove } from '../api/hooks';
import { screensOf } from '../app/areas';
import { usePreferences } from '../app/preferences';
import { titleOf } from '../model/display';
import type { Document, Kind } from '../model/types';
import { Button } from '../ui/Button';
import { notify, Progress } from '../ui/Feedback';
import { Confirm } from '../ui/Overlay';
import { useWords } from '../ui/texts';
import { useListTexts } from './texts';

/** Shows the actions for the selected rows. */
export function BulkBar({
  kind,
  documents,
  mayDelete,
  onDone,
}: {
  kind: Kind;
  documents: Document[];
  mayDelete: boolean;
  onDone: () => void;
}) {
  const t = useListTexts();
  const words = useWords();
  const { language } = usePreferences();
  const remove = useRemove(kind);
  const Actions = screensOf(kind).bulkActions;
  const [isAsking, setAsking] = useState(false);
  const [done, setDone] = useState<number>();
  const run = async () => {
    const failed: string[] = [];
    setDone(0);
    for (const [at, document] of documents.entries()) {
      await remove
        .mutateAsync(document)
        .catch((error: unknown) =>
          failed.push(`${titleOf(kind, document, language)}: ${error instanceof Error ? error.message : String(error)}`),
        );
      setDone(at + 1);
    }
    setDone(undefined);
    setAsking(false);
    const deleted = documents.length - failed.length;
    if (deleted > 0) notify({ look: 'success', text: t('bulkDone', { count: deleted }) });
    if (failed.length > 0) notify({ look: 'danger', text: t('bulkFailed', { count: failed.length }), detail: failed.join('\n') });
    onDone();
  };
  return (
    <div className="bulk" role="region" aria-label={words('selected', { count: documents.length })}>
      <span>{words('selected', { count: documents.length })}</span>
      <span className="row push">
        <Button small onPress={onDone}>
          {words('clear')}
        </Button>
        {Actions && (
          <Suspense>
            <Actions kind={kind} documents={documents} onDone={onDone} />
          </Suspense>
        )}
        {mayDelete && (
          <Button small icon="trash" onPress={() => setAsking(true)}>
            {t('bulkDelete')}
          </Button>
        )}
      </span>
      <Confirm
        title={t('bulkTitle', { count: documents.length })}
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        confirm={words('delete')}
        onConfirm={() => void run()}
        isPending={done !== undefined}
      >
        <div className="stack">
          <p>{t('bulkHint')}</p>
          {done !== undefined && <Progress value={done} max={documents.length} label={`${done} / ${documents.length}`} />}
        </div>
      </Confirm>
    </div>
  );
}

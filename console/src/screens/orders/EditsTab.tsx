import './orders.css';
import { lazy, Suspense, useState } from 'react';
import { Link } from 'wouter';
import { useKind, useList } from '../../api/hooks';
import { useProject } from '../../api/project';
import { paths } from '../../app/paths';
import { usePreferences } from '../../app/preferences';
import type { Document, Kind } from '../../model/types';
import { objectOf, objectsOf } from '../../model/values';
import { Button } from '../../ui/Button';
import { Chip, EmptyState, ErrorState, Skeleton } from '../../ui/Feedback';
import { DateTime } from '../../ui/values';
import { textOfField } from './documents';
import { actionText } from './EditPreview';
import { useOrderTexts } from './texts';

const EditPanel = lazy(() => import('./EditPanel'));

/** The Order Edits of an Order. */
export default function EditsTab({ kind: orderKind, document }: { kind: Kind; document: Document }) {
  const t = useOrderTexts();
  const { key } = useProject();
  const { language } = usePreferences();
  const { kind, mayView, mayManage } = useKind('OrderEdit');
  const [isOpen, setOpen] = useState(false);
  const edits = useList(
    kind!,
    { where: `resource(typeId = "order" and id = "${document.id}")`, sort: ['createdAt desc'], limit: 50, withTotal: false },
    { enabled: !!kind && mayView, live: true },
  );
  if (!kind || !mayView) return <p className="muted">{t('mayNotSeeEdits')}</p>;
  if (edits.error) return <ErrorState error={edits.error} onRetry={() => void edits.refetch()} />;
  if (!edits.data) return <Skeleton />;
  const add = mayManage && (
    <Button icon="edit" onPress={() => setOpen(true)}>
      {t('editItems')}
    </Button>
  );
  return (
    <div className="stack">
      {edits.data.results.length === 0 ? (
        <EmptyState icon="edit" title={t('noEdits')} action={add}>
          {t('noEditsHint')}
        </EmptyState>
      ) : (
        <>
          <div>{add}</div>
          <ul className="home-rows">
            {edits.data.results.map((edit) => {
              const isApplied = objectOf(edit.result)?.type === 'Applied';
              const texts = objectsOf(edit.stagedActions).map((action) => actionText(action, document, language, t));
              return (
                <li key={edit.id} className="home-row">
                  <span className="stack-tight grow">
                    <Link href={paths.document(key, kind, edit.id)} className="cell-title" dir="auto">
                      {texts.join(' · ') || t('noActions')}
                    </Link>
                    <span className="muted small truncate">
                      <DateTime value={edit.createdAt} /> {textOfField(edit.comment)}
                    </span>
                  </span>
                  <Chip look={isApplied ? 'success' : 'warning'}>{isApplied ? t('applied') : t('draft')}</Chip>
                </li>
              );
            })}
          </ul>
        </>
      )}
      {isOpen && (
        <Suspense>
          <EditPanel kind={kind} orderKind={orderKind} order={document} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </div>
  );
}

import { useState } from 'react';
import { useOpenDocument } from '../../detail/editing';
import type { Document, Kind, UpdateAction } from '../../model/types';
import { valueAt } from '../../model/values';
import { Button } from '../../ui/Button';
import { Banner } from '../../ui/Feedback';
import { Menu, Panel } from '../../ui/Overlay';
import { useWords } from '../../ui/texts';
import { countDifferences } from './differences';
import { DifferenceTable, useDifferences } from './DifferenceTable';
import { useProductTexts } from './texts';
import './products.css';

type Verb = 'publish' | 'unpublish' | 'revertStagedChanges';

/** Publishes a Product, takes it offline, or throws its staged changes away: each after a look at the difference. */
export default function ProductActions({ document }: { kind: Kind; document: Document }) {
  const t = useProductTexts();
  const { editing, mayUpdate } = useOpenDocument();
  const [verb, setVerb] = useState<Verb>();
  if (!mayUpdate) return null;
  const isPublished = valueAt(document, 'masterData.published') === true;
  const isModified = valueAt(document, 'masterData.hasStagedChanges') === true;
  const isReady = !isPublished || isModified || editing.isDirty;
  return (
    <>
      {isReady && (
        <Button look="primary" onPress={() => setVerb('publish')}>
          {t(isPublished ? 'publishChanges' : 'publish')}
        </Button>
      )}
      {(isPublished || isModified) && (
        <Menu
          label={t('publication')}
          trigger={<Button icon="globe" aria-label={t('publication')} />}
          entries={[
            {
              id: 'revert',
              label: t('revert'),
              icon: 'undo',
              disabled: !isModified,
              onAction: () => setVerb('revertStagedChanges'),
            },
            {
              id: 'unpublish',
              label: t('unpublish'),
              icon: 'close',
              danger: true,
              disabled: !isPublished,
              onAction: () => setVerb('unpublish'),
            },
          ]}
        />
      )}
      {verb && <PublicationPanel verb={verb} document={document} onClose={() => setVerb(undefined)} />}
    </>
  );
}

function PublicationPanel({ verb, document, onClose }: { verb: Verb; document: Document; onClose: () => void }) {
  const t = useProductTexts();
  const words = useWords();
  const { editing } = useOpenDocument();
  const isReverted = verb === 'revertStagedChanges';
  const groups = useDifferences(verb === 'publish' ? editing.edited : document);
  const count = countDifferences(groups);
  const isPublished = valueAt(document, 'masterData.published') === true;
  const run = (actions: UpdateAction[]) => void editing.save(actions).then((saved) => saved && onClose());
  return (
    <Panel
      title={t(verb === 'publish' ? 'publishTitle' : verb === 'unpublish' ? 'unpublishTitle' : 'revertTitle')}
      isOpen={!editing.conflict}
      onClose={onClose}
      wide
      footer={
        <>
          <Button onPress={onClose}>{words('cancel')}</Button>
          <Button
            look={verb === 'publish' ? 'primary' : 'danger'}
            isPending={editing.isSaving}
            isDisabled={verb !== 'publish' && editing.isDirty}
            onPress={() => run([{ action: verb }])}
          >
            {verb === 'publish'
              ? t(editing.isDirty ? 'saveAndPublish' : 'publishNow', { count })
              : t(isReverted ? 'revertNow' : 'unpublish', { count })}
          </Button>
        </>
      }
    >
      <div className="stack">
        {editing.error !== undefined && (
          <Banner look="danger">{editing.error instanceof Error ? editing.error.message : String(editing.error)}</Banner>
        )}
        {verb !== 'publish' && editing.isDirty && <Banner look="warning">{t('saveFirst')}</Banner>}
        {verb === 'unpublish' ? (
          <p>{t('unpublishHint')}</p>
        ) : groups.length > 0 ? (
          <>
            <p className="muted">{t(isReverted ? 'revertHint' : isPublished ? 'publishHint' : 'publishAgainHint')}</p>
            <DifferenceTable groups={groups} />
          </>
        ) : (
          <p>{t('publishFirstHint')}</p>
        )}
      </div>
    </Panel>
  );
}

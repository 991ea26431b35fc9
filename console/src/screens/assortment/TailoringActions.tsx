import { useState } from 'react';
import { useOpenDocument } from '../../detail/editing';
import type { Document, Kind } from '../../model/types';
import { Button } from '../../ui/Button';
import { Banner } from '../../ui/Feedback';
import { Panel } from '../../ui/Overlay';
import { useWords } from '../../ui/texts';
import { DifferenceTable } from '../products/DifferenceTable';
import { useTailoringDifferences } from './tailoring';
import { useAssortmentTexts } from './texts';
import '../products/products.css';

type Verb = 'publish' | 'unpublish';

/** Publishes a tailoring after a look at the difference, or takes it back. */
export default function TailoringActions({ document }: { kind: Kind; document: Document }) {
  const t = useAssortmentTexts();
  const { editing, mayUpdate } = useOpenDocument();
  const [verb, setVerb] = useState<Verb>();
  if (!mayUpdate) return null;
  const isPublished = document.published === true;
  return (
    <>
      {isPublished && <Button onPress={() => setVerb('unpublish')}>{t('unpublish')}</Button>}
      {(!isPublished || document.hasStagedChanges === true || editing.isDirty) && (
        <Button look="primary" onPress={() => setVerb('publish')}>
          {t(isPublished ? 'publishChanges' : 'publish')}
        </Button>
      )}
      {verb && <PublicationPanel verb={verb} onClose={() => setVerb(undefined)} />}
    </>
  );
}

function PublicationPanel({ verb, onClose }: { verb: Verb; onClose: () => void }) {
  const t = useAssortmentTexts();
  const words = useWords();
  const { editing } = useOpenDocument();
  const groups = useTailoringDifferences(editing.edited);
  const isPublish = verb === 'publish';
  const run = () => void editing.save([{ action: verb }]).then((saved) => saved && onClose());
  return (
    <Panel
      title={t(isPublish ? 'publishTitle' : 'unpublishTitle')}
      isOpen={!editing.conflict}
      onClose={onClose}
      wide={isPublish}
      footer={
        <>
          <Button onPress={onClose}>{words('cancel')}</Button>
          <Button
            look={isPublish ? 'primary' : 'danger'}
            isPending={editing.isSaving}
            isDisabled={!isPublish && editing.isDirty}
            onPress={run}
          >
            {t(isPublish ? (editing.isDirty ? 'saveAndPublish' : 'publishNow') : 'unpublish')}
          </Button>
        </>
      }
    >
      <div className="stack">
        {editing.error !== undefined && (
          <Banner look="danger">{editing.error instanceof Error ? editing.error.message : String(editing.error)}</Banner>
        )}
        {!isPublish && editing.isDirty && <Banner look="warning">{t('saveFirst')}</Banner>}
        <p className="muted">{t(isPublish ? 'publishHint' : 'unpublishHint')}</p>
        {isPublish && groups.length > 0 && <DifferenceTable groups={groups} />}
      </div>
    </Panel>
  );
}

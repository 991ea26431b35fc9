import { useOpenDocument } from '../../detail/editing';
import type { Document, Kind } from '../../model/types';
import { valueAt } from '../../model/values';
import { EmptyState } from '../../ui/Feedback';
import { DifferenceTable, useDifferences } from './DifferenceTable';
import { useProductTexts } from './texts';
import './products.css';

/** Shows the published side next to the staged one, with the changes that are not saved yet. */
export default function ChangesTab({ document }: { kind: Kind; document: Document }) {
  const t = useProductTexts();
  const { editing } = useOpenDocument();
  const groups = useDifferences(editing.edited);
  const isPublished = valueAt(document, 'masterData.published') === true;
  if (groups.length === 0)
    return (
      <EmptyState icon="check" title={t('noDifferences')}>
        {t(isPublished ? 'noDifferencesHint' : 'notPublishedHint')}
      </EmptyState>
    );
  return (
    <div className="stack">
      <p className="muted">{t(editing.isDirty ? 'differencesUnsaved' : 'differencesHint')}</p>
      <DifferenceTable groups={groups} />
    </div>
  );
}

import { useOpenDocument } from '../../detail/editing';
import type { Document, Kind } from '../../model/types';
import { EmptyState } from '../../ui/Feedback';
import { DifferenceTable } from '../products/DifferenceTable';
import { useTailoringDifferences } from './tailoring';
import { useAssortmentTexts } from './texts';
import '../products/products.css';

/** Shows the differences between the published side of the tailoring and the edited one. */
export default function TailoringChanges({ document }: { kind: Kind; document: Document }) {
  const t = useAssortmentTexts();
  const { editing } = useOpenDocument();
  const groups = useTailoringDifferences(editing.edited);
  if (groups.length === 0)
    return (
      <EmptyState icon="check" title={t('noDifferences')}>
        {t(document.published === true ? 'noDifferencesHint' : 'notPublishedHint')}
      </EmptyState>
    );
  return (
    <div className="stack">
      <p className="muted">{t(editing.isDirty ? 'differencesUnsaved' : 'differencesHint')}</p>
      <DifferenceTable groups={groups} />
    </div>
  );
}

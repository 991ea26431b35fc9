import { Link } from 'wouter';
import { useProject } from '../../api/project';
import { paths } from '../../app/paths';
import { usePreferences } from '../../app/preferences';
import { titleOf } from '../../model/display';
import type { Document, Kind } from '../../model/types';
import { Chip, EmptyState, ErrorState, Skeleton } from '../../ui/Feedback';
import { useWords } from '../../ui/texts';
import { activeSelections } from './offers';
import { useStoresOf } from './selections';
import { useAssortmentTexts } from './texts';

/** The Stores that use a Product Selection, and whether it is switched on there. */
export default function SelectionStores({ document }: { kind: Kind; document: Document }) {
  const t = useAssortmentTexts();
  const words = useWords();
  const { key } = useProject();
  const { language } = usePreferences();
  const { kind, list } = useStoresOf(document.id);
  if (!kind) return <EmptyState icon="key" title={words('noAccess')} />;
  if (list.error && !list.data) return <ErrorState error={list.error} onRetry={() => void list.refetch()} />;
  if (!list.data) return <Skeleton lines={3} />;
  if (list.data.results.length === 0)
    return (
      <EmptyState
        icon="globe"
        title={t('noStores')}
        action={
          <Link className="button button-normal" href={paths.list(key, kind)}>
            {t('openStores')}
          </Link>
        }
      >
        {t('noStoresHint')}
      </EmptyState>
    );
  return (
    <ul className="home-rows">
      {list.data.results.map((store) => {
        const isActive = activeSelections(store).some((reference) => reference.id === document.id);
        return (
          <li key={store.id} className="home-row">
            <span className="stack-tight grow">
              <Link href={paths.document(key, kind, store.id)} className="cell-title truncate">
                {titleOf(kind, store, language)}
              </Link>
              <span className="muted small mono">{String(store.key)}</span>
            </span>
            <Chip look={isActive ? 'success' : 'neutral'}>{t(isActive ? 'active' : 'inactive')}</Chip>
          </li>
        );
      })}
    </ul>
  );
}

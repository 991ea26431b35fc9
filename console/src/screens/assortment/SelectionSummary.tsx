import { usePreferences } from '../../app/preferences';
import type { Document, Kind } from '../../model/types';
import { titleOf } from '../../model/display';
import { modeOf } from './assignments';
import { useStoresOf } from './selections';
import { useAssortmentTexts } from './texts';
import { FactList } from '../products/FactList';
import '../products/products.css';

/** Shows the mode and size of a Product Selection, and the Stores that use it. */
export default function SelectionSummary({ document }: { kind: Kind; document: Document }) {
  const t = useAssortmentTexts();
  const { language } = usePreferences();
  const stores = useStoresOf(document.id);
  const names = (stores.list.data?.results ?? []).map((store) => titleOf(stores.kind!, store, language));
  const facts: [string, string][] = [
    [t('contains'), t(modeOf(document) === 'Individual' ? 'individual' : 'exclusion')],
    [t('products'), Number(document.productCount ?? 0).toLocaleString(language)],
    ...(stores.list.data ? ([[t('stores'), names.join(', ') || t('noStore')]] as [string, string][]) : []),
  ];
  return <FactList facts={facts} className="summary-facts" />;
}

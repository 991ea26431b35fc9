import type { Document } from '../../model/types';
import { useDiscountTexts } from './texts';
import { PredicateWords, StatusChip, ValidityWords, ValueWords } from './words';

/** Cells of the lists of discounts and codes. */
export default function DiscountCell({
  document,
  show,
}: {
  document: Document;
  show: 'value' | 'status' | 'validity' | 'cart' | 'price' | 'code';
}) {
  const t = useDiscountTexts();
  switch (show) {
    case 'value':
      return <ValueWords value={document.value} />;
    case 'status':
      return <StatusChip document={document} />;
    case 'validity':
      return <ValidityWords document={document} />;
    case 'code':
      return <span className="muted">{document.requiresDiscountCode ? t('needsCode') : t('automatic')}</span>;
    default:
      return <PredicateWords text={document[show === 'cart' ? 'cartPredicate' : 'predicate']} dialect={show} />;
  }
}

import { useOpenDocument } from '../../detail/editing';
import type { Document, Json, Kind } from '../../model/types';
import { isObject } from '../../model/values';
import { ConditionBuilder } from './ConditionBuilder';
import { ALWAYS } from './conditions';
import { useDiscountTexts } from './texts';
import { PredicateWords } from './words';
import './discounts.css';

const textOf = (value: Json | undefined) => (typeof value === 'string' ? value : ALWAYS);

/** The predicates of a discount or a code as conditions. Changes wait in the changes of the page. */
export default function ConditionsTab({ kind }: { kind: Kind; document: Document }) {
  const t = useDiscountTexts();
  const { editing, mayUpdate } = useOpenDocument();
  const { edited, setField } = editing;
  const target = isObject(edited.target) && edited.target.type === 'lineItems' ? edited.target : undefined;
  const isPrice = kind.name === 'ProductDiscount';
  const field = isPrice ? 'predicate' : 'cartPredicate';
  const dialect = isPrice ? 'price' : 'cart';
  if (!mayUpdate) return <PredicateWords text={edited[field]} dialect={dialect} />;
  const isCode = kind.name === 'DiscountCode';
  return (
    <div className="stack-large">
      <ConditionBuilder
        dialect={dialect}
        label={isPrice ? t('whichPrices') : t('whichCarts')}
        value={textOf(edited[field])}
        onChange={(text) => setField(field, isCode && text.trim() === ALWAYS ? undefined : text)}
      />
      {target && (
        <ConditionBuilder
          dialect="item"
          label={t('whichItems')}
          value={textOf(target.predicate)}
          onChange={(predicate) => setField('target', { ...target, predicate })}
        />
      )}
    </div>
  );
}

import type { ReactNode } from 'react';
import { usePreferences } from '../../app/preferences';
import { textOf } from '../../ui/values';
import type { Item } from './documents';
import { Thumb } from './ItemsTab';
import { QuantityField } from './QuantityField';
import { useOrderTexts } from './texts';

export function useItemText(): (item: Item) => string {
  const { language } = usePreferences();
  return (item) => textOf(item.name, language)?.text ?? item.sku ?? item.id;
}

/** The items of an Order, with a quantity to choose for each. */
export function ItemQuantities({
  items,
  quantities,
  most,
  onChange,
  extra,
}: {
  items: Item[];
  quantities: ReadonlyMap<string, number>;
  /** Returns the largest quantity that may be chosen; absent: any quantity. */
  most?: (item: Item) => number;
  onChange: (quantities: Map<string, number>) => void;
  extra?: (item: Item) => ReactNode;
}) {
  const t = useOrderTexts();
  const nameOf = useItemText();
  return (
    <ul className="item-choices">
      {items.map((item) => {
        const max = most?.(item);
        return (
          <li key={item.id} className="item-choice" data-off={max === 0 || undefined}>
            <Thumb url={item.image} />
            <span className="stack-small grow">
              <b className="item-name" dir="auto">
                {nameOf(item)}
              </b>
              <span className="muted small item-facts">
                {item.sku && <span className="mono">{item.sku}</span>}
                {max !== undefined && max < item.quantity && <span>{t('ofCount', { max, count: item.quantity })}</span>}
              </span>
              {extra?.(item)}
            </span>
            {max === 0 ? null : (
              <QuantityField
                name={nameOf(item)}
                value={quantities.get(item.id) ?? 0}
                max={max}
                onChange={(value) => onChange(new Map(quantities).set(item.id, value))}
              />
            )}
          </li>
        );
      })}
    </ul>
  );
}

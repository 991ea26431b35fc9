import { useCallback, useEffect, useMemo, useState } from 'react';
import { useModel } from '../../api/project';
import { PredicateEditor } from '../../editor';
import { defineTexts } from '../../i18n/texts';
import { Button, IconButton } from '../../ui/Button';
import { FieldGroup } from '../../ui/Field';
import { Menu } from '../../ui/Overlay';
import { ConditionValue } from './ConditionValue';
import { CONDITIONS, readPredicate, writePredicate, type Condition, type ConditionType, type Dialect } from './conditions';
import { completeDiscountPredicate } from './predicate-names';

export const useConditionTexts = defineTexts(
  {
    add: 'Add condition',
    remove: 'Remove condition: {name}',
    asText: 'As a predicate',
    cartAll: 'Every cart. Add a condition to limit it.',
    itemAll: 'All items. Add a condition to limit it.',
    priceAll: 'All prices. Add a condition to limit it.',
    country: 'Country',
    registered: 'New customers',
    registeredHint: 'Registered on or after this day',
    group: 'Customer group',
    signedIn: 'Signed in',
    signedInHint: 'The cart belongs to a customer, not to a guest',
    total: 'Total at least',
    count: 'Number of items',
    sku: 'SKU',
    skuHint: 'One or more, separated by commas',
    category: 'Category',
    categoryHint: 'With all categories below it',
    productType: 'Product type',
    fullPrice: 'Not reduced yet',
    fullPriceHint: 'Items without a Product Discount',
    currency: 'Currency',
    text: 'Other',
    today: 'Today',
    days: '{count} days ago',
    addValue: 'Add {name}',
    removeValue: 'Remove {name}',
    addAmount: 'Amount in another currency',
  },
  {
    add: 'Bedingung hinzufügen',
    remove: 'Bedingung entfernen: {name}',
    asText: 'Als Prädikat',
    cartAll: 'Jeder Warenkorb. Eine Bedingung schränkt das ein.',
    itemAll: 'Alle Positionen. Eine Bedingung schränkt das ein.',
    priceAll: 'Alle Preise. Eine Bedingung schränkt das ein.',
    country: 'Land',
    registered: 'Neue Kunden',
    registeredHint: 'An diesem Tag oder später registriert',
    group: 'Kundengruppe',
    signedIn: 'Angemeldet',
    signedInHint: 'Der Warenkorb gehört einem Kunden, keinem Gast',
    total: 'Summe mindestens',
    count: 'Stückzahl',
    sku: 'SKU',
    skuHint: 'Eine oder mehrere, durch Kommas getrennt',
    category: 'Kategorie',
    categoryHint: 'Mit allen Kategorien darunter',
    productType: 'Produkttyp',
    fullPrice: 'Noch nicht reduziert',
    fullPriceHint: 'Positionen ohne Produktrabatt',
    currency: 'Währung',
    text: 'Anderes',
    today: 'Heute',
    days: 'Vor {count} Tagen',
    addValue: '{name} hinzufügen',
    removeValue: '{name} entfernen',
    addAmount: 'Betrag in anderer Währung',
  },
);

const FIRST: Partial<Record<ConditionType, () => string[]>> = {
  count: () => ['2'],
  registered: () => [startOfDay(0)],
};

/** The first moment of a day, some days ago. */
export function startOfDay(daysAgo: number): string {
  const day = new Date();
  day.setHours(0, 0, 0, 0);
  day.setDate(day.getDate() - daysAgo);
  return day.toISOString();
}

/** Builds a predicate from conditions. Its text is below them, and can be changed as well. */
export function ConditionBuilder({
  dialect,
  value,
  onChange,
  label,
  error,
}: {
  dialect: Dialect;
  value: string;
  onChange: (value: string) => void;
  label: string;
  error?: string;
}) {
  const t = useConditionTexts();
  const model = useModel();
  const [rows, setRows] = useState(() => readPredicate(value, dialect));
  useEffect(
    () => setRows((now) => (writePredicate(now, dialect) === value ? now : readPredicate(value, dialect))),
    [value, dialect],
  );
  const set = (next: Condition[]) => {
    setRows(next);
    onChange(writePredicate(next, dialect));
  };
  const complete = useMemo(() => completeDiscountPredicate(model, dialect), [model, dialect]);
  const addable = CONDITIONS[dialect].filter((type) => type !== 'text' && !rows.some((row) => row.type === type));
  const add = useCallback((type: ConditionType): Condition => ({ type, values: FIRST[type]?.() ?? [] }), []);
  return (
    <FieldGroup label={label} error={error}>
      <div className="conditions">
        {rows.length === 0 && <p className="muted">{t(`${dialect}All`)}</p>}
        {rows.map((row, at) => (
          <div key={`${row.type}-${at}`} className="condition" role="group" aria-label={t(row.type)}>
            <span className="condition-name">{t(row.type)}</span>
            <div className="condition-value">
              <ConditionValue condition={row} onChange={(next) => set(rows.map((one, index) => (index === at ? next : one)))} />
            </div>
            <IconButton
              small
              icon="close"
              label={t('remove', { name: t(row.type) })}
              onPress={() => set(rows.filter((_, index) => index !== at))}
            />
          </div>
        ))}
        {addable.length > 0 && (
          <div>
            <Menu
              label={t('add')}
              trigger={
                <Button small icon="plus">
                  {t('add')}
                </Button>
              }
              entries={addable.map((type) => ({ id: type, label: t(type), onAction: () => set([...rows, add(type)]) }))}
            />
          </div>
        )}
      </div>
      <div className="condition-text">
        <span className="small muted">{t('asText')}</span>
        <div className="control" data-invalid={error ? true : undefined}>
          <PredicateEditor value={value} onChange={onChange} complete={complete} label={`${label}: ${t('asText')}`} />
        </div>
      </div>
    </FieldGroup>
  );
}

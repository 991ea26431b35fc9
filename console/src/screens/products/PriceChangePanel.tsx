import { useMemo, useState } from 'react';
import { usePreferences } from '../../app/preferences';
import type { JsonObject } from '../../model/types';
import { objectsOf } from '../../model/values';
import { Button } from '../../ui/Button';
import { Select, TextField } from '../../ui/Field';
import { Panel } from '../../ui/Overlay';
import { useWords } from '../../ui/texts';
import { moneyText } from '../../ui/values';
import { useNames } from './names';
import { currencyOf, raisePrice, ROUNDINGS, scopeLabel, scopeOf, type PriceChange, type Rounding } from './prices';
import { useProductTexts } from './texts';
import { variantName } from './variants';

/** Returns the form of a price change, and its values: the percentage, the currency and the rounding. */
export function usePriceChange(variants: JsonObject[]) {
  const t = useProductTexts();
  const words = useWords();
  const [text, setText] = useState('');
  const [chosen, setCurrency] = useState<string>();
  const [rounding, setRounding] = useState<Rounding>('exact');
  const counts = useMemo(() => {
    const found = new Map<string, number>();
    for (const variant of variants)
      for (const price of objectsOf(variant.prices)) found.set(currencyOf(price), (found.get(currencyOf(price)) ?? 0) + 1);
    return [...found].sort((a, b) => b[1] - a[1]);
  }, [variants]);
  const currency = chosen ?? counts[0]?.[0] ?? '';
  const percent = Number(text.trim().replace(',', '.').replace('%', ''));
  const isPercent = text.trim() !== '' && Number.isFinite(percent) && percent > -100 && percent <= 1000;
  const change: PriceChange | undefined = isPercent && percent !== 0 && currency ? { currency, percent, rounding } : undefined;
  const form = (
    <div className="fields fields-fixed">
      <TextField
        autoFocus
        label={t('percent')}
        hint={t('percentHint')}
        inputMode="decimal"
        value={text}
        onChange={setText}
        error={text.trim() !== '' && text.trim() !== '-' && !isPercent ? t('notNumber', { text }) : undefined}
        suffix={<span className="control-addon">%</span>}
      />
      <Select
        label={words('currency')}
        value={currency || null}
        options={counts.map(([id, count]) => ({ id, label: `${id} · ${t('priceCount', { count })}` }))}
        onChange={setCurrency}
      />
      <Select
        label={t('rounding')}
        value={rounding}
        options={ROUNDINGS.map((id) => ({ id, label: t(`round_${id}`) }))}
        onChange={(id) => setRounding(id as Rounding)}
      />
    </div>
  );
  return { form, change };
}

const SHOWN_MAX = 200;

/** The prices before and after, one row each. */
export function PricePreview({ variants, change }: { variants: JsonObject[]; change: PriceChange }) {
  const t = useProductTexts();
  const { language } = usePreferences();
  const rows = variants.flatMap((variant) =>
    objectsOf(variant.prices)
      .filter((price) => currencyOf(price) === change.currency)
      .map((price) => ({ variant, price, after: raisePrice(price, change.percent, change.rounding) })),
  );
  const names = useNames(rows.map((row) => scopeOf(row.price)));
  return (
    <div className="preview-scroll" tabIndex={0} role="region" aria-label={t('preview')}>
      <table className="preview">
        <thead>
          <tr>
            <th scope="col">SKU</th>
            <th scope="col">{t('priceFor')}</th>
            <th scope="col" className="preview-end">
              {t('before')}
            </th>
            <th scope="col" className="preview-end">
              {t('after')}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, SHOWN_MAX).map(({ variant, price, after }, at) => (
            <tr key={at}>
              <td className="truncate">{variantName(variant)}</td>
              <td className="muted">{scopeLabel(scopeOf(price), names, language)}</td>
              <td className="preview-end muted">{moneyText(price.value, language)}</td>
              <td className="preview-end">{moneyText(after.value, language)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > SHOWN_MAX && <p className="muted small preview-more">{t('moreRows', { count: rows.length - SHOWN_MAX })}</p>}
    </div>
  );
}

export const countPrices = (variants: JsonObject[], currency: string): number =>
  variants.reduce((sum, variant) => sum + objectsOf(variant.prices).filter((price) => currencyOf(price) === currency).length, 0);

/** Raises or lowers the prices of rows of the grid. */
export function PriceChangePanel({
  variants,
  chosen,
  onClose,
  onApply,
}: {
  variants: JsonObject[];
  chosen: JsonObject[];
  onClose: () => void;
  onApply: (change: PriceChange, variants: JsonObject[]) => void;
}) {
  const t = useProductTexts();
  const words = useWords();
  const [rows, setRows] = useState(chosen.length > 1 && chosen.length < variants.length ? 'chosen' : 'all');
  const of = rows === 'chosen' ? chosen : variants;
  const { form, change } = usePriceChange(of);
  const count = change ? countPrices(of, change.currency) : 0;
  return (
    <Panel
      title={t('changePricesTitle')}
      isOpen
      onClose={onClose}
      footer={
        <>
          <Button onPress={onClose}>{words('cancel')}</Button>
          <Button look="primary" isDisabled={!change || count === 0} onPress={() => change && onApply(change, of)}>
            {t('putIntoGrid', { count })}
          </Button>
        </>
      }
    >
      <div className="stack">
        {form}
        <Select
          label={t('rows')}
          value={rows}
          options={[
            { id: 'all', label: t('allRows', { count: variants.length }) },
            { id: 'chosen', label: t('chosenRows', { count: chosen.length }) },
          ]}
          onChange={setRows}
        />
        {change && count > 0 && <PricePreview variants={of} change={change} />}
      </div>
    </Panel>
  );
}

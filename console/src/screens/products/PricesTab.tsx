import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useProjectSettings, type Page } from '../../api/hooks';
import { useModel, useProject } from '../../api/project';
import { usePreferences } from '../../app/preferences';
import { may } from '../../model/model';
import type { Document, JsonObject, Kind } from '../../model/types';
import { isObject, objectsOf } from '../../model/values';
import { ErrorState, Skeleton } from '../../ui/Feedback';
import { Select, TextField } from '../../ui/Field';
import { ReferencePicker } from '../../ui/ReferencePicker';
import { useWords } from '../../ui/texts';
import { moneyText } from '../../ui/values';
import { useNames } from './names';
import { scopeLabel, scopesIn, scopeOf } from './prices';
import { rankPrices, type Buyer, type Judged } from './price-selection';
import { useProductTexts } from './texts';
import { CURRENT, groupBy, sideOf, STAGED, textIn, variantName, variantsOf } from './variants';
import './products.css';

/** The Standalone Prices of variants, by SKU, if that is where the prices of a Product are. */
function useStandalonePrices(product: JsonObject, variants: JsonObject[]) {
  const model = useModel();
  const { client, scopes } = useProject();
  const kind = model.kindOfType('standalone-price');
  const skus = variants.map((variant) => variant.sku).filter((sku) => typeof sku === 'string');
  const isUsed = product.priceMode === 'Standalone' && skus.length > 0 && !!kind && may.view(kind, scopes);
  return useQuery({
    queryKey: [client.project, 'StandalonePrice', 'list', 'of', skus],
    enabled: isUsed,
    queryFn: async ({ signal }) => {
      const where = `active = true and sku in (${skus.map((sku) => JSON.stringify(sku)).join(', ')})`;
      const page = await client.request<Page>(kind!.path, { signal, query: { where, limit: 500, withTotal: false } });
      return groupBy(page.results as JsonObject[], (price) => String(price.sku));
    },
  });
}

/** Shows the price that a buyer gets from the API, and why. */
export default function PricesTab({ document }: { kind: Kind; document: Document }) {
  const t = useProductTexts();
  const { client } = useProject();
  const { currencies, countries } = useProjectSettings();
  const [side, setSide] = useState<'current' | 'staged'>('staged');
  const [buyer, setBuyer] = useState<Buyer>({});
  const currency = buyer.currency ?? currencies[0] ?? 'EUR';
  const full: Buyer = { ...buyer, currency, country: buyer.country ?? countries[0] ?? '' };
  const variants = useMemo(() => variantsOf(sideOf(document, side === 'staged' ? STAGED : CURRENT)), [document, side]);
  const standalone = useStandalonePrices(document, variants);
  const query = {
    staged: side === 'staged',
    priceCurrency: currency,
    priceCountry: full.country || undefined,
    priceCustomerGroup: textIn(buyer.customerGroup?.id),
    priceChannel: textIn(buyer.channel?.id),
  };
  const answer = useQuery({
    queryKey: [client.project, 'ProductProjection', document.id, document.version, query],
    enabled: !buyer.date,
    queryFn: ({ signal }) => client.find<Document>(`product-projections/${document.id}`, { signal, query }),
  });
  const selected = new Map(variantsOf(answer.data ?? {}).map((variant) => [variant.id, variant.price]));
  return (
    <div className="stack-large">
      <BuyerForm buyer={full} onChange={setBuyer} side={side} onSide={setSide} />
      {answer.error ? (
        <ErrorState error={answer.error} onRetry={() => void answer.refetch()} />
      ) : answer.isPending && !buyer.date ? (
        <Skeleton lines={6} />
      ) : (
        <SelectedPrices
          variants={variants}
          buyer={full}
          pricesOf={(variant) =>
            document.priceMode === 'Standalone' ? (standalone.data?.get(String(variant.sku)) ?? []) : objectsOf(variant.prices)
          }
          selected={buyer.date ? undefined : (variant) => selected.get(variant.id)}
        />
      )}
      <p className="muted small">{t(buyer.date ? 'priceDateHint' : 'priceHint')}</p>
    </div>
  );
}

function BuyerForm({
  buyer,
  onChange,
  side,
  onSide,
}: {
  buyer: Buyer;
  onChange: (buyer: Buyer) => void;
  side: 'current' | 'staged';
  onSide: (side: 'current' | 'staged') => void;
}) {
  const t = useProductTexts();
  const words = useWords();
  const model = useModel();
  const { scopes } = useProject();
  const { currencies, countries } = useProjectSettings();
  const kindsOf = (typeId: string) => model.kinds.filter((kind) => kind.typeId === typeId && !kind.hidden);
  const groups = kindsOf('customer-group').filter((kind) => may.view(kind, scopes));
  const options = (ids: string[]) => ids.map((id) => ({ id, label: id }));
  return (
    <div className="fields">
      <Select
        label={words('currency')}
        value={buyer.currency ?? null}
        options={options(currencies)}
        onChange={(currency) => onChange({ ...buyer, currency })}
      />
      <Select
        label={t('country')}
        value={buyer.country ?? ''}
        options={[{ id: '', label: words('none') }, ...options(countries)]}
        onChange={(country) => onChange({ ...buyer, country })}
      />
      {groups.length > 0 && (
        <ReferencePicker
          label={t('customerGroup')}
          kinds={groups}
          value={buyer.customerGroup}
          onChange={(customerGroup) => onChange({ ...buyer, customerGroup })}
        />
      )}
      <ReferencePicker
        label={t('channel')}
        kinds={kindsOf('channel')}
        value={buyer.channel}
        onChange={(channel) => onChange({ ...buyer, channel })}
        filter='roles contains any ("ProductDistribution")'
      />
      <TextField
        type="datetime-local"
        label={t('date')}
        value={buyer.date ?? ''}
        onChange={(date) => onChange({ ...buyer, date: date || undefined })}
      />
      <Select
        label={t('side')}
        value={side}
        options={[
          { id: 'staged', label: t('staged') },
          { id: 'current', label: t('published') },
        ]}
        onChange={(id) => onSide(id as 'current' | 'staged')}
      />
    </div>
  );
}

function SelectedPrices({
  variants,
  buyer,
  pricesOf,
  selected,
}: {
  variants: JsonObject[];
  buyer: Buyer;
  pricesOf: (variant: JsonObject) => JsonObject[];
  /** The price that the API selected; absent for another time than now. */
  selected: ((variant: JsonObject) => unknown) | undefined;
}) {
  const t = useProductTexts();
  const { language } = usePreferences();
  const names = useNames(scopesIn(variants.map((variant) => ({ prices: pricesOf(variant) }))));
  const reason = (judged: Judged) => {
    const { scope } = judged;
    switch (judged.is) {
      case 'chosen':
        return t('becauseChosen', { scope: scopeLabel(scope, names, language) });
      case 'lessSpecific':
        return t('becauseLess');
      case 'currency':
        return t('becauseCurrency', { currency: scope.currency });
      case 'country':
        return t('becauseCountry', { country: scope.country ?? '' });
      case 'customerGroup':
        return t('becauseGroup', { name: names(scope.customerGroup) ?? '' });
      case 'channel':
        return t('becauseChannel', { name: names(scope.channel) ?? '' });
      case 'recurrencePolicy':
        return t('becausePolicy');
      case 'date':
        return t('becauseDate');
    }
  };
  return (
    <div className="stack">
      {variants.map((variant) => {
        const judged = rankPrices(pricesOf(variant), buyer);
        const answer = selected?.(variant);
        const price = selected
          ? isObject(answer as JsonObject)
            ? (answer as JsonObject)
            : undefined
          : judged.find((one) => one.is === 'chosen')?.price;
        const discounted = price && isObject(price.discounted) ? price.discounted : undefined;
        return (
          <details key={String(variant.id)} className="price-answer">
            <summary>
              <span className="truncate price-variant">{variantName(variant)}</span>
              <span className="price-amount numbers">
                {price ? (
                  <>
                    {discounted && <s className="muted">{moneyText(price.value, language)}</s>}{' '}
                    <b>{moneyText((discounted ?? price).value, language)}</b>
                  </>
                ) : (
                  <span className="muted">{t('noPrice')}</span>
                )}
              </span>
              <span className="muted small price-reason">
                {price ? t('becauseScope', { scope: scopeLabel(scopeOf(price), names, language) }) : t('noPriceHint')}
                {discounted && ` ${t('becauseDiscount')}`}
              </span>
            </summary>
            <ul className="price-others">
              {judged.map((one, at) => (
                <li key={at} data-chosen={one.is === 'chosen' || undefined}>
                  <span>{scopeLabel(one.scope, names, language)}</span>
                  <span className="numbers price-amount">{moneyText(one.price.value, language)}</span>
                  <span className="muted">{reason(one)}</span>
                </li>
              ))}
            </ul>
          </details>
        );
      })}
    </div>
  );
}

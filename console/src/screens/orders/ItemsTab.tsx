import './orders.css';
import { useKind } from '../../api/hooks';
import { usePreferences, type Language } from '../../app/preferences';
import type { Document, Json, JsonObject } from '../../model/types';
import { humanize, isObject } from '../../model/values';
import { Chip, EmptyState } from '../../ui/Feedback';
import { Icon } from '../../ui/Icon';
import { Reference } from '../../ui/Reference';
import { LocalizedText, Money, moneyText } from '../../ui/values';
import { DiscountLine } from './DiscountLine';
import { centsOf, deliveredOf, itemsOf, moneyLike, returnedOf, type Item } from './documents';
import { useOrderTexts } from './texts';
import { Totals } from './Totals';

/** Shows the items, with the discounts that led to each price. */
export default function ItemsTab({ document }: { document: Document }) {
  const t = useOrderTexts();
  const items = itemsOf(document);
  if (items.length === 0)
    return (
      <EmptyState icon="orders" title={t('noItems')}>
        {t('noItemsHint')}
      </EmptyState>
    );
  return <ItemsAndTotals document={document} />;
}

export function ItemsAndTotals({ document }: { document: JsonObject }) {
  const t = useOrderTexts();
  const items = itemsOf(document);
  const delivered = deliveredOf(document);
  const returned = returnedOf(document);
  return (
    <div className="stack-large">
      <table className="items">
        <caption className="visually-hidden">{t('items')}</caption>
        <thead>
          <tr>
            <th scope="col">{t('item')}</th>
            <th scope="col" className="items-end">
              {t('quantity')}
            </th>
            <th scope="col" className="items-end">
              {t('unitPrice')}
            </th>
            <th scope="col">{t('discounts')}</th>
            <th scope="col" className="items-end">
              {t('tax')}
            </th>
            <th scope="col" className="items-end">
              {t('total')}
            </th>
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <ItemRow key={item.id} item={item} delivered={delivered.get(item.id) ?? 0} returned={returned.get(item.id) ?? 0} />
          ))}
        </tbody>
      </table>
      <Totals document={document} />
    </div>
  );
}

function ItemRow({ item, delivered, returned }: { item: Item; delivered: number; returned: number }) {
  const t = useOrderTexts();
  const full = centsOf(item.unitPrice) * item.quantity;
  const isReduced = centsOf(item.totalPrice) < full;
  return (
    <tr>
      <td className="items-item">
        <div className="row-top">
          <Thumb url={item.image} />
          <div className="stack-small grow">
            <ItemName item={item} />
            <span className="muted small item-facts">
              {item.sku && <span className="mono">{item.sku}</span>}
              <Attributes attributes={item.attributes} />
            </span>
            {(delivered > 0 || returned > 0 || item.mode === 'GiftLineItem' || item.isCustom) && (
              <span className="row wrap">
                {item.mode === 'GiftLineItem' && <Chip look="accent">{t('gift')}</Chip>}
                {item.isCustom && <Chip>{t('custom')}</Chip>}
                {delivered > 0 && (
                  <Chip look={delivered >= item.quantity ? 'success' : 'warning'}>
                    {t('deliveredCount', { count: delivered })}
                  </Chip>
                )}
                {returned > 0 && <Chip look="warning">{t('returnedCount', { count: returned })}</Chip>}
              </span>
            )}
          </div>
        </div>
      </td>
      <td className="items-end" data-label={t('quantity')}>
        <span className="numbers">{item.quantity}</span>
      </td>
      <td className="items-end" data-label={t('unitPrice')}>
        <span className="stack-small items-end">
          {item.fullPrice && (
            <s className="muted">
              <Money value={item.fullPrice} />
            </s>
          )}
          <Money value={item.unitPrice} />
        </span>
      </td>
      <td data-label={t('discounts')} data-empty={item.groups.length === 0 && !item.fullPrice ? '' : undefined}>
        <ItemDiscounts item={item} />
      </td>
      <td className="items-end muted" data-label={t('tax')} data-empty={item.taxRate ? undefined : ''}>
        <Tax item={item} />
      </td>
      <td className="items-end" data-label={t('total')}>
        <span className="stack-small items-end">
          {isReduced && (
            <s className="muted">
              <Money value={moneyLike(item.totalPrice, full)} />
            </s>
          )}
          <b>
            <Money value={item.totalPrice} />
          </b>
        </span>
      </td>
    </tr>
  );
}

/** The picture of an item, or a mark in its place. */
export function Thumb({ url }: { url?: string }) {
  return url ? (
    <img className="item-image" src={url} alt="" loading="lazy" referrerPolicy="no-referrer" />
  ) : (
    <span className="item-image item-image-none" aria-hidden="true">
      <Icon name="products" size={18} />
    </span>
  );
}

/** The name of an item, as a link to its Product if the operator may see it. */
function ItemName({ item }: { item: Item }) {
  const { kind, mayView } = useKind('Product');
  const { language } = usePreferences();
  const name = Object.keys(item.name).length > 0 ? <LocalizedText value={item.name} /> : <span>{item.sku ?? item.id}</span>;
  if (!item.productId || !kind || !mayView) return <b className="item-name">{name}</b>;
  const value = { typeId: kind.typeId, id: item.productId, obj: { name: item.name, id: item.productId } };
  return (
    <b className="item-name" lang={language}>
      <Reference value={value as JsonObject} compact />
    </b>
  );
}

function attributeText(value: Json | undefined, language: Language): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return value.toLocaleString(language);
  if (Array.isArray(value))
    return value
      .map((one) => attributeText(one, language))
      .filter(Boolean)
      .join(', ');
  if (!isObject(value) || value.typeId !== undefined) return '';
  if (value.label !== undefined) return attributeText(value.label, language);
  if (typeof value.currencyCode === 'string') return moneyText(value, language);
  const text = value[language] ?? value.en ?? Object.values(value)[0];
  return typeof text === 'string' ? text : '';
}

const ATTRIBUTES_MAX = 3;
const TEXT_MAX = 40;

/** The first Attributes that are short: colour, size, wood. */
function Attributes({ attributes }: { attributes: JsonObject[] }) {
  const { language } = usePreferences();
  const texts = attributes
    .map(({ name, value }) => ({
      name: humanize(String(name)),
      text: attributeText(value, language),
      isNumber: typeof value === 'number',
    }))
    .filter(({ text }) => text !== '' && text.length <= TEXT_MAX)
    .slice(0, ATTRIBUTES_MAX);
  return texts.map(({ name, text, isNumber }) => (
    <span key={name} title={name} dir="auto">
      {isNumber ? `${name} ${text}` : text}
    </span>
  ));
}

function Tax({ item }: { item: Item }) {
  const t = useOrderTexts();
  const { language } = usePreferences();
  if (!item.taxRate) return <span aria-label={t('noTax')}>–</span>;
  const percent = Number(item.taxRate.amount).toLocaleString(language, { style: 'percent', maximumFractionDigits: 2 });
  return (
    <span className="stack-small items-end" title={String(item.taxRate.name)}>
      <span className="numbers">{percent}</span>
      {item.taxedPrice?.totalTax !== undefined && (
        <span className="small">
          <Money value={item.taxedPrice.totalTax} />
        </span>
      )}
    </span>
  );
}

function ItemDiscounts({ item }: { item: Item }) {
  const t = useOrderTexts();
  if (item.groups.length === 0 && !item.fullPrice) return <span className="muted">–</span>;
  const groups = item.groups.filter((group) => group.portions.length > 0);
  const isSplit = groups.length > 1 || groups.some((group) => group.quantity !== item.quantity);
  return (
    <ul className="stack-small">
      {item.fullPrice && (
        <li>
          <DiscountLine
            portion={{
              discount: item.productDiscount ?? {},
              amount: moneyLike(item.fullPrice, centsOf(item.fullPrice) - centsOf(item.unitPrice)),
            }}
          />
        </li>
      )}
      {groups.map((group, at) => (
        <li key={at} className="stack-small">
          {isSplit && (
            <span className="muted small numbers">
              {t('groupOf', { count: group.quantity })} <Money value={group.value} />
            </span>
          )}
          {group.portions.map((portion, index) => (
            <DiscountLine key={index} portion={portion} />
          ))}
        </li>
      ))}
    </ul>
  );
}

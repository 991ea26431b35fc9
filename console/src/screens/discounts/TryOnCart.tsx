import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useId, useMemo, useState } from 'react';
import { useKind, useProjectSettings, type Page } from '../../api/hooks';
import { useClient } from '../../api/project';
import { usePreferences } from '../../app/preferences';
import type { JsonObject } from '../../model/types';
import { isObject } from '../../model/values';
import { Button, IconButton } from '../../ui/Button';
import { Banner } from '../../ui/Feedback';
import { FieldGroup, Select, TextField } from '../../ui/Field';
import { ReferencePicker } from '../../ui/ReferencePicker';
import { nameOfCode } from '../../ui/values';
import { Choices } from '../../ui/Choices';
import type { Condition } from './conditions';
import { tryOnCart, type TryInput } from './try-cart';
import { TryResult } from './TryResult';
import { useTryTexts } from './try-texts';
import './discounts.css';

interface Item {
  sku: string;
  quantity: string;
}

/** Shows what a discount or a code does to a cart, and why it does not apply. The cart is temporary. */
export function TryOnCart({
  title,
  hint,
  codes: given,
  temporary,
  conditions,
}: {
  title?: string;
  hint?: string;
  /** Codes to begin with. */
  codes: string[];
  /** A discount that is not created yet. */
  temporary?: TryInput['temporary'];
  /** The conditions of the discount: the cart begins with values that meet them. */
  conditions: Condition[];
}) {
  const t = useTryTexts();
  const client = useClient();
  const carts = useKind('Cart');
  const form = useCartForm(conditions, given);
  const trial = useMutation({ mutationFn: (input: TryInput) => tryOnCart(client, input) });
  const input = form.inputWith(temporary);
  const run = () => trial.mutate(input);
  const names = given.join(', ');
  useEffect(() => {
    form.setCodes(names);
    trial.reset();
  }, [names]);
  if (!carts.mayManage) return <p className="muted">{t('noCarts')}</p>;
  return (
    <div className="stack try">
      {title && (
        <div className="stack-small">
          <h2>{title}</h2>
          {hint && <p className="muted small">{hint}</p>}
        </div>
      )}
      <CartForm form={form} />
      <div className="row">
        <Button
          icon="bolt"
          look={given.length > 0 ? 'primary' : 'normal'}
          onPress={run}
          isPending={trial.isPending}
          isDisabled={!form.isComplete}
        >
          {t('run')}
        </Button>
        <span className="muted small" role="status">
          {trial.isPending ? t('running') : trial.isSuccess ? t('deleted') : ''}
        </span>
      </div>
      {trial.error && (
        <Banner look="danger">
          {trial.error.message}
          {/price/i.test(trial.error.message) && `\n${t('noPrice')}`}
        </Banner>
      )}
      {trial.data && trial.variables && <TryResult outcome={trial.data} input={trial.variables} />}
    </div>
  );
}

type CartFormState = ReturnType<typeof useCartForm>;

/** Returns the state of the form of a cart. It begins with the conditions of the discount, and an item that has a price. */
function useCartForm(conditions: Condition[], given: string[]) {
  const { countries, currencies } = useProjectSettings();
  const skus = useSkus();
  const [source, setSource] = useState<'new' | 'existing'>('new');
  const [cart, setCart] = useState<JsonObject>();
  const [typedCountry, setCountry] = useState<string>();
  const [typedCurrency, setCurrency] = useState<string>();
  const [customer, setCustomer] = useState<JsonObject>();
  const [typedItems, setItems] = useState<Item[]>();
  const [codes, setCodes] = useState(given.join(', '));
  const valueOf = (type: Condition['type']) => conditions.find((condition) => condition.type === type)?.values[0];
  const country = typedCountry ?? valueOf('country') ?? countries[0];
  const first = valueOf('sku') ?? skus[0]?.sku ?? '';
  const items = typedItems ?? [{ sku: first, quantity: valueOf('count') ?? '1' }];
  const priced = skus.find(({ sku }) => sku === items[0]?.sku) ?? skus[0];
  const currency = typedCurrency ?? priced?.prices.find((price) => price.country === country)?.currency ?? currencies[0] ?? 'EUR';
  const wanted = items.filter((item) => item.sku.trim() !== '');
  const isComplete = source === 'existing' ? cart !== undefined : wanted.length > 0;
  const inputWith = (temporary: TryInput['temporary']): TryInput => ({
    ...(source === 'existing' && typeof cart?.id === 'string' ? { cartId: cart.id } : {}),
    country,
    currency,
    customerId: typeof customer?.id === 'string' ? customer.id : undefined,
    items: wanted.map(({ sku, quantity }) => ({ sku: sku.trim(), quantity: Math.max(1, Number(quantity) || 1) })),
    codes: codes
      .split(',')
      .map((code) => code.trim())
      .filter(Boolean),
    temporary,
  });
  return {
    source,
    setSource,
    cart,
    setCart,
    country,
    setCountry,
    currency,
    setCurrency,
    customer,
    setCustomer,
    items,
    setItems,
    codes,
    setCodes,
    skus,
    isComplete,
    inputWith,
  };
}

interface Sku {
  sku: string;
  prices: { currency: string; country?: string }[];
}

/** Some SKUs to choose from, with the currencies of their prices. */
function useSkus(): Sku[] {
  const client = useClient();
  const { kind, mayView } = useKind('Product');
  const { data } = useQuery({
    queryKey: [client.project, 'Product', 'list', 'skus'],
    enabled: !!kind && mayView,
    staleTime: 60_000,
    queryFn: ({ signal }) =>
      client.request<Page>('product-projections', { signal, query: { limit: 20, sort: 'id asc', withTotal: false } }),
  });
  return useMemo(() => {
    const variants = (data?.results ?? []).flatMap((product) => [
      product.masterVariant,
      ...(Array.isArray(product.variants) ? product.variants : []),
    ]);
    return variants.flatMap((variant): Sku[] => {
      if (!isObject(variant) || typeof variant.sku !== 'string') return [];
      const prices = (Array.isArray(variant.prices) ? variant.prices : []).filter(isObject).map((price) => ({
        currency: isObject(price.value) ? String(price.value.currencyCode) : '',
        country: typeof price.country === 'string' ? price.country : undefined,
      }));
      return [{ sku: variant.sku, prices }];
    });
  }, [data]);
}

function CartForm({ form }: { form: CartFormState }) {
  const t = useTryTexts();
  const { countries, currencies } = useProjectSettings();
  const { language } = usePreferences();
  const cartKind = useKind('Cart').kind;
  const customers = useKind('Customer');
  const allCountries = [...new Set([...countries, ...(form.country ? [form.country] : [])])];
  return (
    <>
      <Choices
        label={t('source')}
        value={form.source}
        options={(['new', 'existing'] as const).map((id) => ({ id, label: t(id) }))}
        onChange={form.setSource}
      />
      <div className="fields">
        {form.source === 'existing' && cartKind ? (
          <ReferencePicker
            label={t('existing')}
            hint={t('existingHint')}
            required
            kinds={[cartKind]}
            value={form.cart}
            onChange={form.setCart}
          />
        ) : (
          <>
            <Select
              label={t('country')}
              value={form.country ?? null}
              options={allCountries.map((id) => ({ id, label: nameOfCode('country', id, language) }))}
              onChange={form.setCountry}
            />
            <Select
              label={t('currency')}
              value={form.currency}
              options={currencies.map((id) => ({ id, label: id }))}
              onChange={form.setCurrency}
            />
            {customers.kind && customers.mayView && (
              <ReferencePicker
                label={t('customer')}
                hint={t('customerHint')}
                kinds={[customers.kind]}
                value={form.customer}
                onChange={form.setCustomer}
              />
            )}
          </>
        )}
        <TextField label={t('codes')} hint={t('codesHint')} mono value={form.codes} onChange={form.setCodes} autoComplete="off" />
      </div>
      {form.source === 'new' && <Items items={form.items} skus={form.skus} onChange={form.setItems} />}
    </>
  );
}

function Items({ items, skus, onChange }: { items: Item[]; skus: Sku[]; onChange: (items: Item[]) => void }) {
  const t = useTryTexts();
  const id = useId();
  const set = (at: number, change: Partial<Item>) =>
    onChange(items.map((item, index) => (index === at ? { ...item, ...change } : item)));
  return (
    <FieldGroup label={t('items')}>
      <datalist id={id}>
        {skus.map(({ sku }) => (
          <option key={sku} value={sku} />
        ))}
      </datalist>
      <div className="stack-small">
        {items.map((item, at) => (
          <div key={at} className="row try-item">
            <div className="grow">
              <TextField
                aria-label={t('sku')}
                placeholder={t('sku')}
                list={id}
                value={item.sku}
                onChange={(sku) => set(at, { sku })}
                autoComplete="off"
              />
            </div>
            <div className="try-quantity">
              <TextField
                aria-label={t('quantity')}
                inputMode="numeric"
                value={item.quantity}
                onChange={(quantity) => set(at, { quantity })}
              />
            </div>
            <IconButton
              small
              icon="close"
              label={t('removeItem', { name: item.sku })}
              isDisabled={items.length === 1}
              onPress={() => onChange(items.filter((_, index) => index !== at))}
            />
          </div>
        ))}
        <div>
          <Button small icon="plus" look="plain" onPress={() => onChange([...items, { sku: '', quantity: '1' }])}>
            {t('addItem')}
          </Button>
        </div>
      </div>
    </FieldGroup>
  );
}

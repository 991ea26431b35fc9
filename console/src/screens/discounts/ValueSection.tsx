import { useEffect } from 'react';
import { useDocument, useKind, useProjectSettings } from '../../api/hooks';
import { MoneyField } from '../../form/MoneyField';
import type { Document, JsonObject } from '../../model/types';
import { isObject, valueAt } from '../../model/values';
import { Button, IconButton } from '../../ui/Button';
import { FieldGroup, Select, TextField } from '../../ui/Field';
import { ReferencePicker } from '../../ui/ReferencePicker';
import { Choices } from '../../ui/Choices';
import { ConditionBuilder } from './ConditionBuilder';
import { targetsOf, type ValueType } from './promotion';
import type { SectionProps } from './PromotionForm';
import { usePromotionTexts } from './promotion-texts';

const VALUES: ValueType[] = ['relative', 'absolute', 'fixed', 'giftLineItem'];
const MODES = ['IndividualApplication', 'ProportionateDistribution', 'EvenDistribution'] as const;

/** Edits the value of a promotion, and the target that it reduces. */
export function ValueSection({ promotion, onChange, problems, itemError }: SectionProps & { itemError?: string }) {
  const t = usePromotionTexts();
  const isMoney = promotion.valueType === 'absolute' || promotion.valueType === 'fixed';
  const choose = (valueType: ValueType) => {
    const targets = targetsOf(valueType);
    // An amount off is most often one of the total; a fixed price is one of items.
    const target = valueType === 'absolute' ? 'totalPrice' : valueType === 'fixed' ? 'lineItems' : promotion.target;
    onChange({ valueType, target: targets.includes(target) ? target : (targets[0] ?? 'lineItems'), applicationMode: undefined });
  };
  return (
    <section className="stack">
      <h2>{t('what')}</h2>
      <Choices
        label={t('value')}
        value={promotion.valueType}
        options={VALUES.map((id) => ({ id, label: t(id) }))}
        onChange={choose}
      />
      <div className="fields">
        {promotion.valueType === 'relative' && (
          <TextField
            label={t('percent')}
            inputMode="decimal"
            required
            value={promotion.percent}
            onChange={(percent) => onChange({ percent })}
            suffix={<span className="control-addon">%</span>}
            error={problems.includes('percent') ? t('percentProblem') : undefined}
          />
        )}
        {isMoney && <Amounts money={promotion.money} onChange={(money) => onChange({ money })} />}
        {promotion.valueType === 'giftLineItem' ? (
          <GiftFields
            product={promotion.product}
            variantId={promotion.variantId}
            onChange={(product, variantId) => onChange({ product, variantId })}
          />
        ) : (
          <Select
            label={t('target')}
            value={promotion.target}
            options={targetsOf(promotion.valueType).map((id) => ({ id, label: t(id) }))}
            onChange={(target) => onChange({ target: target as typeof promotion.target })}
          />
        )}
        {isMoney && promotion.target === 'lineItems' && (
          <Select
            label={t('mode')}
            value={promotion.applicationMode ?? 'IndividualApplication'}
            options={MODES.map((id) => ({ id, label: t(id) }))}
            onChange={(applicationMode) => onChange({ applicationMode })}
          />
        )}
      </div>
      {promotion.valueType !== 'giftLineItem' && promotion.target === 'lineItems' && (
        <ConditionBuilder
          dialect="item"
          label={t('items')}
          value={promotion.itemPredicate}
          onChange={(itemPredicate) => onChange({ itemPredicate })}
          error={itemError}
        />
      )}
    </section>
  );
}

/** One amount for each currency. */
function Amounts({ money, onChange }: { money: JsonObject[]; onChange: (money: JsonObject[]) => void }) {
  const t = usePromotionTexts();
  const { currencies } = useProjectSettings();
  const rows = money.length > 0 ? money : [{ currencyCode: currencies[0] ?? 'EUR' }];
  const free = currencies.filter((code) => !rows.some((row) => row.currencyCode === code));
  return (
    <FieldGroup label={t('amounts')} required>
      <div className="stack-small">
        {rows.map((row, at) => (
          <div key={at} className="row">
            <div className="grow">
              <MoneyField
                field={{ name: 'money', type: 'Money', list: 0, required: true }}
                value={row}
                onChange={(next) => onChange(rows.map((one, index) => (index === at && isObject(next) ? next : one)))}
              />
            </div>
            {rows.length > 1 && (
              <IconButton
                small
                icon="close"
                label={t('removeAmount')}
                onPress={() => onChange(rows.filter((_, index) => index !== at))}
              />
            )}
          </div>
        ))}
        {free.length > 0 && money.length > 0 && (
          <div>
            <Button small look="plain" icon="plus" onPress={() => onChange([...rows, { currencyCode: free[0]! }])}>
              {t('addAmount')}
            </Button>
          </div>
        )}
      </div>
    </FieldGroup>
  );
}

function GiftFields({
  product,
  variantId,
  onChange,
}: {
  product: JsonObject | undefined;
  variantId: number;
  onChange: (product: JsonObject | undefined, variantId: number) => void;
}) {
  const t = usePromotionTexts();
  const { kind } = useKind('Product');
  const { data } = useDocument(kind, typeof product?.id === 'string' ? product.id : undefined);
  const variants = data ? variantsOf(data) : [];
  useEffect(() => {
    if (variants.length > 0 && !variants.some((one) => one.id === variantId)) onChange(product, variants[0]!.id);
  }, [data]);
  if (!kind) return null;
  return (
    <>
      <ReferencePicker label={t('product')} required kinds={[kind]} value={product} onChange={(next) => onChange(next, 1)} />
      {variants.length > 1 && (
        <Select
          label={t('variant')}
          value={String(variantId)}
          options={variants.map((one) => ({ id: String(one.id), label: one.sku ?? `#${one.id}` }))}
          onChange={(id) => onChange(product, Number(id))}
        />
      )}
    </>
  );
}

function variantsOf(product: Document): { id: number; sku?: string }[] {
  const data = valueAt(product, 'masterData.current');
  if (!isObject(data)) return [];
  const all = [data.masterVariant, ...(Array.isArray(data.variants) ? data.variants : [])];
  return all.filter(isObject).map((one) => ({ id: Number(one.id), sku: typeof one.sku === 'string' ? one.sku : undefined }));
}

import { useProjectSettings } from '../../api/hooks';
import { useModel } from '../../api/project';
import { usePreferences } from '../../app/preferences';
import { fromInputTime, toInputTime } from '../../form/ScalarField';
import { MoneyField } from '../../form/MoneyField';
import type { JsonObject } from '../../model/types';
import { isObject } from '../../model/values';
import { Button, IconButton } from '../../ui/Button';
import { Chip } from '../../ui/Feedback';
import { Select, TextField } from '../../ui/Field';
import { Reference } from '../../ui/Reference';
import { ReferencePicker } from '../../ui/ReferencePicker';
import { digitsOf, nameOfCode } from '../../ui/values';
import { startOfDay, useConditionTexts } from './ConditionBuilder';
import type { Condition } from './conditions';

interface ValueProps {
  condition: Condition;
  onChange: (condition: Condition) => void;
}

const KINDS = { group: 'CustomerGroup', category: 'Category', productType: 'ProductType' } as const;

/** The editor of the values of one condition. */
export function ConditionValue(props: ValueProps) {
  const t = useConditionTexts();
  const { condition, onChange } = props;
  switch (condition.type) {
    case 'country':
      return <CountriesValue {...props} />;
    case 'group':
    case 'category':
    case 'productType':
      return <ReferencesValue {...props} kindName={KINDS[condition.type]} />;
    case 'registered':
      return <DayValue {...props} />;
    case 'total':
      return <AmountsValue {...props} />;
    case 'sku':
      return (
        <TextField
          aria-label={t('sku')}
          placeholder={t('skuHint')}
          defaultValue={condition.values.join(', ')}
          onChange={(text) =>
            onChange({
              ...condition,
              values: text
                .split(',')
                .map((one) => one.trim())
                .filter(Boolean),
            })
          }
        />
      );
    case 'count':
      return (
        <TextField
          aria-label={t('count')}
          inputMode="numeric"
          value={condition.values[0] ?? ''}
          onChange={(text) => onChange({ ...condition, values: [text.replace(/\D/g, '')] })}
        />
      );
    case 'currency':
      return (
        <TextField
          aria-label={t('currency')}
          value={condition.values[0] ?? ''}
          onChange={(text) => onChange({ ...condition, values: [text.toUpperCase()] })}
        />
      );
    case 'text':
      return <code className="condition-code">{condition.values[0]}</code>;
    default:
      return <span className="muted small">{t(`${condition.type}Hint`)}</span>;
  }
}

function CountriesValue({ condition, onChange }: ValueProps) {
  const t = useConditionTexts();
  const { countries } = useProjectSettings();
  const { language } = usePreferences();
  const set = (values: string[]) => onChange({ ...condition, values });
  const free = countries.filter((code) => !condition.values.includes(code));
  return (
    <div className="row wrap">
      {condition.values.map((code) => (
        <Chip key={code} look="accent">
          {nameOfCode('country', code, language)}
          <IconButton
            small
            icon="close"
            label={t('removeValue', { name: nameOfCode('country', code, language) })}
            onPress={() => set(condition.values.filter((one) => one !== code))}
          />
        </Chip>
      ))}
      {countries.length === 0 ? (
        <TextField aria-label={t('country')} maxLength={2} onChange={(code) => code.length === 2 && set([code.toUpperCase()])} />
      ) : (
        free.length > 0 && (
          <div className="condition-add">
            <Select
              aria-label={t('addValue', { name: t('country') })}
              placeholder={t('addValue', { name: t('country') })}
              value={null}
              options={free.map((id) => ({ id, label: nameOfCode('country', id, language), hint: id }))}
              onChange={(code) => set([...condition.values, code])}
            />
          </div>
        )
      )}
    </div>
  );
}

function ReferencesValue({ condition, onChange, kindName }: ValueProps & { kindName: string }) {
  const t = useConditionTexts();
  const model = useModel();
  const kind = model.kind(kindName);
  if (!kind) return null;
  const { by = 'key', values } = condition;
  const add = (reference: JsonObject | undefined) => {
    if (!reference) return;
    const next = typeof reference.key === 'string' ? 'key' : 'id';
    const value = String(reference[next]);
    // Names of one condition are all ids or all keys: another sort begins a new list.
    onChange(
      next === by || values.length === 0
        ? { ...condition, by: next, values: [...new Set([...values, value])] }
        : { ...condition, by: next, values: [value] },
    );
  };
  return (
    <div className="stack-small">
      {values.length > 0 && (
        <div className="row wrap">
          {values.map((value) => (
            <Chip key={value} look="accent">
              <Reference kind={kind} compact value={{ typeId: kind.typeId, [by]: value }} />
              <IconButton
                small
                icon="close"
                label={t('removeValue', { name: value })}
                onPress={() => onChange({ ...condition, values: values.filter((one) => one !== value) })}
              />
            </Chip>
          ))}
        </div>
      )}
      <ReferencePicker key={values.length} kinds={[kind]} value={undefined} onChange={add} byKey />
      {condition.type === 'category' && <p className="field-hint">{t('categoryHint')}</p>}
    </div>
  );
}

function DayValue({ condition, onChange }: ValueProps) {
  const t = useConditionTexts();
  const { zone } = usePreferences();
  const value = condition.values[0];
  const change = (day: string) => day && onChange({ ...condition, values: [fromInputTime(`${day}T00:00:00`, zone)] });
  return (
    <div className="stack-small">
      <div className="row wrap">
        <TextField
          type="date"
          aria-label={t('registeredHint')}
          value={value ? toInputTime(value, zone).slice(0, 10) : ''}
          onChange={change}
        />
        {[0, 7, 30].map((days) => (
          <Button key={days} small look="plain" onPress={() => onChange({ ...condition, values: [startOfDay(days)] })}>
            {days === 0 ? t('today') : t('days', { count: days })}
          </Button>
        ))}
      </div>
      <p className="field-hint">{t('registeredHint')}</p>
    </div>
  );
}

/** `50.00 EUR` as money, and back. */
function toMoney(text: string): JsonObject | undefined {
  const found = text.match(/^(-?\d+)(?:\.(\d+))? ([A-Z]{3})$/);
  return found ? { currencyCode: found[3]!, centAmount: Number(`${found[1]}${found[2] ?? ''}`) } : undefined;
}
function toText(money: JsonObject): string {
  const currency = String(money.currencyCode);
  const digits = digitsOf(currency);
  return `${(Number(money.centAmount) / 10 ** digits).toFixed(digits)} ${currency}`;
}

function AmountsValue({ condition, onChange }: ValueProps) {
  const t = useConditionTexts();
  const { currencies } = useProjectSettings();
  const values = condition.values.length > 0 ? condition.values : [''];
  const set = (at: number, money: unknown) =>
    onChange({ ...condition, values: values.map((one, index) => (index === at ? (isObject(money) ? toText(money) : '') : one)) });
  const free = currencies.filter((code) => !values.some((value) => value.endsWith(code)));
  return (
    <div className="stack-small">
      {values.map((value, at) => (
        <MoneyField
          key={at}
          field={{ name: 'total', type: 'Money', list: 0, required: false }}
          value={toMoney(value)}
          onChange={(money) => set(at, money)}
        />
      ))}
      {free.length > 0 && values[0] !== '' && (
        <div>
          <Button
            small
            look="plain"
            icon="plus"
            onPress={() => onChange({ ...condition, values: [...values, toText({ currencyCode: free[0]!, centAmount: 0 })] })}
          >
            {t('addAmount')}
          </Button>
        </div>
      )}
    </div>
  );
}

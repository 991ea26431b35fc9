import { readDefinition, type ValueDefinition } from '../../form/definitions';
import { amountText, parseAmount } from '../../form/amounts';
import type { Language } from '../../app/preferences';
import { shortText } from '../../model/display';
import type { Json, JsonObject } from '../../model/types';
import { equal, humanize, isObject } from '../../model/values';
import { digitsOf } from '../../ui/values';
import { priceIn, scopeLabel, withPrice, type Names, type PriceScope } from './prices';
import type { SheetColumn } from './sheet-state';
import type { useProductTexts } from './texts';
import { attributeOf, textIn, withAttribute } from './variants';

/** A column of the grid of variants: how a value gets into a variant, and whether it is the same in all. */
export interface VariantColumn extends SheetColumn<JsonObject> {
  write: (variant: JsonObject, value: Json | undefined) => JsonObject;
  isOfAll?: boolean;
}

export interface ColumnContext {
  t: ReturnType<typeof useProductTexts>;
  language: Language;
  languages: string[];
  names: Names;
  /** Returns the stored variant, to mark changes. */
  stored: (variant: JsonObject) => JsonObject | undefined;
}

/** The columns of the variants of a Product: names, Attributes by their definitions, prices by their scope, stock. */
export function variantColumns(
  productType: JsonObject | undefined,
  scopes: PriceScope[],
  context: ColumnContext,
): VariantColumn[] {
  const definitions = (Array.isArray(productType?.attributes) ? productType.attributes : [])
    .map(readDefinition)
    .filter((one) => one !== undefined)
    .filter((one) => one.level !== 'Product');
  return [
    nameColumn('sku', 'SKU', 170, context, true),
    nameColumn('key', context.t('key'), 130, context),
    ...definitions.flatMap((definition) => attributeColumns(definition, context)),
    ...scopes.map((scope) => priceColumn(scope, context)),
    {
      id: 'stock',
      label: context.t('stock'),
      hint: context.t('available'),
      width: 90,
      end: true,
      isReadOnly: true,
      text: (variant) => stockOf(variant)?.toLocaleString(context.language) ?? '',
      write: (variant) => variant,
    },
  ];
}

/** Returns the available quantity of a variant, in all channels together. */
export function stockOf(variant: JsonObject): number | undefined {
  const { availability } = variant;
  if (!isObject(availability)) return undefined;
  const all = [availability, ...Object.values(isObject(availability.channels) ? availability.channels : {})];
  const amounts = all.map((one) => (isObject(one) ? one.availableQuantity : undefined)).filter((one) => typeof one === 'number');
  return amounts.length > 0 ? amounts.reduce((sum, one) => sum + one, 0) : undefined;
}

function nameColumn(
  name: 'sku' | 'key',
  label: string,
  width: number,
  { stored }: ColumnContext,
  isFixed = false,
): VariantColumn {
  return {
    id: name,
    label,
    width,
    isFixed,
    text: (variant) => textIn(variant[name]) ?? '',
    parse: (text) => ({ value: text || undefined }),
    isChanged: (variant) => stored(variant)?.[name] !== variant[name],
    write: (variant, value) => {
      const { [name]: _, ...rest } = variant;
      return value === undefined ? rest : { ...variant, [name]: value };
    },
  };
}

function attributeColumns(definition: ValueDefinition, context: ColumnContext): VariantColumn[] {
  const { name } = definition;
  const label = shortText(definition.label, context.language) ?? humanize(name);
  const isOfAll = definition.constraint === 'SameForAll';
  const common = {
    hint: isOfAll ? context.t('sameForAll') : undefined,
    isOfAll,
    isChanged: (variant: JsonObject) => {
      const before = context.stored(variant);
      return !before || !equal(attributeOf(before, name), attributeOf(variant, name));
    },
    write: (variant: JsonObject, value: Json | undefined) => withAttribute(variant, name, value),
  };
  if (definition.field.type === 'LocalizedString' && !definition.isSet)
    return context.languages.map((language) => ({
      ...common,
      id: `attribute.${name}.${language}`,
      label: `${label} (${language})`,
      width: 150,
      text: (variant) => {
        const value = attributeOf(variant, name);
        return isObject(value) ? (textIn(value[language]) ?? '') : '';
      },
      parse: (text) => ({ value: text || undefined }),
      write: (variant, text) => {
        const value = attributeOf(variant, name);
        const { [language]: _, ...rest } = isObject(value) ? value : {};
        const next = text === undefined ? rest : { ...rest, [language]: text };
        return withAttribute(variant, name, Object.keys(next).length > 0 ? next : undefined);
      },
    }));
  const kind = textColumn(definition, context);
  return [{ ...common, id: `attribute.${name}`, label, ...kind, isReadOnly: kind.parse === undefined }];
}

type TextForm = Pick<VariantColumn, 'text' | 'parse' | 'choices' | 'width' | 'end'>;

/** Returns the text form of the values of an Attribute. Semicolons separate the elements of a set. */
function textColumn(definition: ValueDefinition, context: ColumnContext): TextForm {
  const one = valueForm(definition, context);
  const read = (variant: JsonObject) => attributeOf(variant, definition.name);
  if (!definition.isSet)
    return {
      ...one,
      text: (variant) => one.show(read(variant)),
      parse: one.parse && ((text) => (text === '' ? { value: undefined } : one.parse!(text))),
    };
  const { parse } = one;
  return {
    width: 180,
    text: (variant) => {
      const value = read(variant);
      return Array.isArray(value) ? value.map(one.show).join('; ') : '';
    },
    parse:
      parse &&
      ((text) => {
        const parts = text
          .split(';')
          .map((part) => part.trim())
          .filter(Boolean)
          .map(parse);
        const bad = parts.find((part) => 'error' in part);
        if (bad) return bad;
        const values = parts.flatMap((part) => ('value' in part && part.value !== undefined ? [part.value] : []));
        return { value: values.length > 0 ? values : undefined };
      }),
  };
}

interface ValueForm {
  width: number;
  end?: boolean;
  show: (value: Json | undefined) => string;
  parse?: VariantColumn['parse'];
  choices?: string[];
}

/** A number as spreadsheets in the operator's language write it. */
const decimal = (text: string, language: Language) => (language === 'de' ? text.replace('.', ',') : text);

const plain = (value: Json | undefined) => (value === undefined || value === null ? '' : String(value));

function valueForm(definition: ValueDefinition, context: ColumnContext): ValueForm {
  const { t } = context;
  if (definition.choices) return choiceForm(definition.choices, context);
  switch (definition.field.type) {
    case 'Boolean':
      return {
        width: 100,
        choices: [t('yes'), t('no')],
        show: (value) => (typeof value === 'boolean' ? t(value ? 'yes' : 'no') : ''),
        parse: (text) => {
          if (/^(true|yes|ja|1|x|wahr)$/i.test(text)) return { value: true };
          return /^(false|no|nein|0|falsch)$/i.test(text) ? { value: false } : { error: t('notBoolean', { text }) };
        },
      };
    case 'Float':
      return {
        width: 100,
        end: true,
        show: (value) => decimal(plain(value), context.language),
        parse: (text) => {
          const value = Number(/^-?\d+,\d+$/.test(text) ? text.replace(',', '.') : text);
          return Number.isFinite(value) ? { value } : { error: t('notNumber', { text }) };
        },
      };
    case 'Money':
      return {
        width: 120,
        end: true,
        show: (value) =>
          isObject(value)
            ? `${decimal(amountText(Number(value.centAmount), digitsOf(String(value.currencyCode))), context.language)} ${String(value.currencyCode)}`
            : '',
        parse: (text) => {
          const [, amount = '', currencyCode = ''] = text.match(/^(.*\d)\s*([A-Z]{3})$/) ?? [];
          const centAmount = parseAmount(amount, digitsOf(currencyCode || 'EUR'));
          return centAmount === undefined || !currencyCode
            ? { error: t('notMoney', { text }) }
            : { value: { currencyCode, centAmount } };
        },
      };
    case 'String':
    case 'Date':
    case 'Time':
    case 'DateTime':
      return { width: definition.field.type === 'String' ? 150 : 120, show: plain, parse: (text) => ({ value: text }) };
    case 'LocalizedString':
      return { width: 160, show: (value) => shortText(value, context.language) ?? '' };
    case 'Reference':
      return { width: 150, show: (value) => (isObject(value) ? (context.names(value) ?? plain(value.key ?? value.id)) : '') };
    default:
      return { width: 140, show: (value) => (value === undefined ? '' : JSON.stringify(value)) };
  }
}

/** An enum value is shown by its label, and found by its label in any language or its key. */
function choiceForm(choices: { key: string; label: Json }[], { t, language }: ColumnContext): ValueForm {
  const byText = new Map<string, { key: string; label: Json }>();
  for (const choice of [...choices].reverse()) {
    const labels = isObject(choice.label) ? Object.values(choice.label) : [choice.label];
    for (const name of [choice.key, ...labels]) byText.set(plain(name).toLowerCase(), choice);
  }
  const labelOf = (choice: { key: string; label: Json }) => shortText(choice.label, language) ?? choice.key;
  const byKey = new Map(choices.map((choice) => [choice.key, choice]));
  return {
    width: 130,
    choices: choices.map(labelOf),
    show: (value) => {
      const key = isObject(value) ? plain(value.key) : plain(value);
      const choice = byKey.get(key);
      return choice ? labelOf(choice) : isObject(value) ? (shortText(value.label, language) ?? key) : key;
    },
    parse: (text) => {
      const found = byText.get(text.toLowerCase());
      return found ? { value: { key: found.key, label: found.label } } : { error: t('noChoice', { text }) };
    },
  };
}

function priceColumn(scope: PriceScope, { t, language, names, stored }: ColumnContext): VariantColumn {
  const [currency = scope.currency, ...rest] = scopeLabel(scope, names, language).split(' · ');
  const digits = digitsOf(scope.currency);
  const amountOf = (variant: JsonObject | undefined) => {
    const value = variant && priceIn(variant, scope)?.value;
    return isObject(value) ? (value.type === 'highPrecision' ? value.preciseAmount : value.centAmount) : undefined;
  };
  return {
    id: `price.${scope.id}`,
    label: [t('price'), currency].join(' '),
    hint: rest.join(' · ') || t('everybody'),
    width: 108,
    end: true,
    text: (variant) => {
      const value = priceIn(variant, scope)?.value;
      if (!isObject(value)) return '';
      const shown = value.type === 'highPrecision' ? Number(value.fractionDigits) : digits;
      return decimal(amountText(Number(amountOf(variant)), shown), language);
    },
    parse: (text) => {
      if (text === '') return { value: undefined };
      const amount = parseAmount(text.replace(/[^\d.,-]/g, ''), digits);
      return amount === undefined || amount < 0
        ? { error: t('notAmount', { text, currency: scope.currency }) }
        : { value: amount };
    },
    isChanged: (variant) => amountOf(stored(variant)) !== amountOf(variant),
    write: (variant, value) => withPrice(variant, scope, value as number | undefined),
  };
}

import type { CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import type { ModelIndex } from '../../model/model';
import { isReference } from '../../model/model';
import type { Field } from '../../model/types';
import type { Dialect } from './conditions';

/** A name in the language of discount predicates, whose fields are joined by points: `customer.customerGroup.key`. */
interface Name {
  label: string;
  detail?: string;
  info?: string;
  /** The text that the completion inserts; absent: `label`. */
  apply?: string;
}

const CART_FUNCTIONS = [
  'lineItemExists',
  'forAllLineItems',
  'lineItemCount',
  'lineItemTotal',
  'lineItemNetTotal',
  'lineItemGrossTotal',
  'customLineItemExists',
  'customLineItemCount',
  'customLineItemTotal',
];
/** Names that documents do not have, by the type that they are names of. */
const EXTRA: Record<string, Record<string, string>> = {
  Cart: { currency: 'String', customer: 'Customer' },
  LineItem: {
    sku: 'String',
    variantId: 'Int',
    attributes: 'Object',
    categories: 'Category',
    categoriesWithAncestors: 'Category',
    product: 'Product',
  },
  PRICES: {
    sku: 'String',
    variantId: 'Int',
    attributes: 'Object',
    product: 'Product',
    productType: 'ProductType',
    categories: 'Category',
    categoriesWithAncestors: 'Category',
    price: 'Money',
    centAmount: 'Int',
    currency: 'CurrencyCode',
    country: 'CountryCode',
    customerGroup: 'CustomerGroup',
    channel: 'Channel',
  },
};
const ROOT: Record<Dialect, string> = { cart: 'Cart', item: 'LineItem', price: 'PRICES' };
const OPERATORS = ['=', '!=', '>', '>=', '<', '<=', 'in (', 'contains ', 'contains any (', 'is defined', 'is not defined'];

function typeOf(model: ModelIndex, type: string, name: string): string | undefined {
  const extra = EXTRA[type]?.[name];
  if (extra) return extra;
  const field = model.allFieldsOf(type).find((one) => one.name === name);
  if (!field) return undefined;
  if (isReference(field)) return field.references?.[0] ? model.kindOfType(field.references[0])?.type : undefined;
  return field.type;
}

function namesOf(model: ModelIndex, type: string, isCart: boolean): Name[] {
  const extra = Object.entries(EXTRA[type] ?? {}).map(([label, detail]): Name => ({ label, detail }));
  const fields = model.allFieldsOf(type).map((field: Field): Name => ({
    label: field.name,
    detail: field.references?.join(' | ') ?? field.type,
    info: field.description,
  }));
  const functions = isCart ? CART_FUNCTIONS.map((name): Name => ({ label: name, detail: '(…)', apply: `${name}(` })) : [];
  return [...extra, ...functions, ...fields];
}

/** The innermost function around the end of a text: what `lineItemExists(` is about are line items. */
function rootAt(before: string, dialect: Dialect): string {
  let depth = 0;
  for (let at = before.length - 1; at >= 0; at -= 1) {
    if (before[at] === ')') depth += 1;
    else if (before[at] === '(') {
      if (depth > 0) depth -= 1;
      else {
        const name = /([A-Za-z]+)\s*$/.exec(before.slice(0, at))?.[1] ?? '';
        if (/^(lineItem|forAllLineItems)/.test(name)) return 'LineItem';
        if (/^(customLineItem|forAllCustomLineItems)/.test(name)) return 'CustomLineItem';
      }
    }
  }
  return ROOT[dialect];
}

/** Completes names and operators of discount predicates from the model. */
export function completeDiscountPredicate(model: ModelIndex, dialect: Dialect) {
  return (context: CompletionContext): CompletionResult | null => {
    const before = context.state.sliceDoc(0, context.pos);
    if ((before.match(/"/g)?.length ?? 0) % 2 === 1) return null;
    const path = /[A-Za-z][\w.]*$/.exec(before)?.[0] ?? '';
    const rest = before.slice(0, before.length - path.length);
    const from = context.pos - (path.split('.').at(-1)?.length ?? 0);
    const isBehindValue = /("|\)|\d|\bdefined|\bempty|\btrue|\bfalse)\s+$/.test(rest);
    if (isBehindValue && !path.includes('.'))
      return { from, options: ['and', 'or'].map((label) => ({ label, apply: `${label} ` })) };
    const isBehindName = /[A-Za-z)]\s+$/.test(rest) && !/\b(and|or|not)\s+$/i.test(rest);
    if (isBehindName)
      return { from, options: OPERATORS.map((label) => ({ label, apply: label.endsWith('(') ? label : `${label} ` })) };
    const root = rootAt(rest, dialect);
    const steps = path.split('.').slice(0, -1);
    let type: string | undefined = root;
    for (const step of steps) type = type && typeOf(model, type, step);
    if (!type) return null;
    const names = namesOf(model, type, root === 'Cart' && steps.length === 0);
    const seen = new Set<string>();
    const options = names.filter(({ label }) => !seen.has(label) && seen.add(label));
    return { from, options, validFor: /^\w*$/ };
  };
}

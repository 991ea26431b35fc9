import type { Json, JsonObject, UpdateAction } from '../../model/types';
import { equal, isObject, objectOf } from '../../model/values';

/** The content of a Product Selection: the added Products, or all except the excluded ones. */
export type Mode = 'Individual' | 'IndividualExclusion';
export const modeOf = (selection: JsonObject): Mode =>
  selection.mode === 'IndividualExclusion' ? 'IndividualExclusion' : 'Individual';

/** The variants of a Product that an assignment includes. */
export interface VariantChoice {
  is: 'all' | 'only' | 'except';
  skus: string[];
}
export const ALL: VariantChoice = { is: 'all', skus: [] };

/** A Product that is added to a Product Selection, or excluded from it. */
export interface Assignment {
  productId: string;
  /** The Product, if it is known. */
  product?: JsonObject;
  choice: VariantChoice;
  /** The difference from the stored assignment. */
  change?: 'added' | 'removed' | 'changed';
}

const skusOf = (value: JsonObject): string[] => (Array.isArray(value.skus) ? value.skus.map(String) : []);

/** Reads `variantSelection` or `variantExclusion`. */
export function readChoice(value: JsonObject): VariantChoice {
  const selection = objectOf(value.variantSelection);
  if (selection) {
    const isExcept = selection.type === 'includeAllExcept' || selection.type === 'exclusion';
    return { is: isExcept ? 'except' : 'only', skus: skusOf(selection) };
  }
  const exclusion = objectOf(value.variantExclusion);
  return exclusion ? { is: 'only', skus: skusOf(exclusion) } : ALL;
}

/** The argument of an update action; absent for all variants. */
function choiceInput(mode: Mode, { is, skus }: VariantChoice): JsonObject {
  if (is === 'all') return {};
  if (mode === 'IndividualExclusion') return { variantExclusion: { skus } };
  return { variantSelection: { type: is === 'only' ? 'includeOnly' : 'includeAllExcept', skus } };
}

const productOf = (id: string): JsonObject => ({ typeId: 'product', id });

export const addAction = (mode: Mode, id: string, choice: VariantChoice = ALL): UpdateAction => ({
  action: mode === 'Individual' ? 'addProduct' : 'excludeProduct',
  product: productOf(id),
  ...choiceInput(mode, choice),
});

export const removeAction = (id: string): UpdateAction => ({ action: 'removeProduct', product: productOf(id) });

export const choiceAction = (mode: Mode, id: string, choice: VariantChoice): UpdateAction => ({
  action: mode === 'Individual' ? 'setVariantSelection' : 'setVariantExclusion',
  product: productOf(id),
  ...choiceInput(mode, choice),
});

/** Reads an assignment of the API. */
export function readAssignment(value: JsonObject): Assignment {
  const reference = objectOf(value.product) ?? {};
  return { productId: String(reference.id), product: objectOf(reference.obj), choice: readChoice(value) };
}

const idIn = (action: UpdateAction): Json | undefined => (isObject(action.product) ? action.product.id : undefined);

/** The place of the waiting action about a Product; -1 if there is none. */
export const queuedAt = (queued: UpdateAction[], productId: string): number =>
  queued.findIndex((action) => idIn(action) === productId);

/** The assignments as they are after the waiting actions; what is added comes first. */
export function withQueued(stored: Assignment[], queued: UpdateAction[]): Assignment[] {
  const known = new Set(stored.map((one) => one.productId));
  const added = queued
    .filter(
      (action) => (action.action === 'addProduct' || action.action === 'excludeProduct') && !known.has(String(idIn(action))),
    )
    .map((action): Assignment => ({ productId: String(idIn(action)), choice: readChoice(action), change: 'added' }));
  const rest = stored.map((one): Assignment => {
    const action = queued[queuedAt(queued, one.productId)];
    if (!action) return one;
    if (action.action === 'removeProduct') return { ...one, change: 'removed' };
    const choice = readChoice(action);
    return equal(choice as unknown as Json, one.choice as unknown as Json) ? one : { ...one, choice, change: 'changed' };
  });
  return [...added, ...rest];
}

import type { Document, JsonObject } from '../../model/types';
import { objectOf, objectsOf } from '../../model/values';
import { modeOf, readChoice } from './assignments';

/** Whether a Store offers a Product: with all variants, with some, or not at all. */
export interface Offer {
  is: 'all' | 'some' | 'none';
  /** The Product Selections that decide it; none if the Store has none that is active and so offers everything. */
  selections: JsonObject[];
}

const idOf = (value: JsonObject, name: string) => String(objectOf(value[name])?.id ?? '');

/** The references to the active Product Selections of a Store. */
export const activeSelections = (store: JsonObject): JsonObject[] =>
  objectsOf(store.productSelections)
    .filter((setting) => setting.active === true)
    .map((setting) => objectOf(setting.productSelection) ?? {});

/**
 * Returns the part of a Product that a Store offers. `assignments` are those of the Product, `selections` all Product Selections
 * that Stores use.
 */
export function offerOf(store: JsonObject, assignments: JsonObject[], selections: Map<string, Document>): Offer {
  const active = activeSelections(store);
  if (active.length === 0) return { is: 'all', selections: [] };
  const shares = active.map((reference): { reference: JsonObject; is: Offer['is'] } => {
    const assignment = assignments.find((one) => idOf(one, 'productSelection') === reference.id);
    const isExclusion = modeOf(selections.get(String(reference.id)) ?? {}) === 'IndividualExclusion';
    if (!assignment) return { reference, is: isExclusion ? 'all' : 'none' };
    if (readChoice(assignment).is !== 'all') return { reference, is: 'some' };
    return { reference, is: isExclusion ? 'none' : 'all' };
  });
  const is = (['all', 'some', 'none'] as const).find((wanted) => shares.some((one) => one.is === wanted)) ?? 'none';
  return { is, selections: shares.filter((one) => one.is === is).map((one) => one.reference) };
}

import type { PartPlanner } from '../../model/changes';
import type { JsonObject, UpdateAction } from '../../model/types';
import { equal, objectOf, objectsOf } from '../../model/values';

const stagedOf = (tailoring: JsonObject): JsonObject => objectOf(tailoring.staged) ?? {};

/** The images that a Store shows for a variant instead of the Product's; `undefined` if it shows those. */
export const ownImages = (side: JsonObject, variantId: number): JsonObject[] | undefined => {
  const images = objectsOf(side.variants).find((variant) => variant.id === variantId)?.images;
  return Array.isArray(images) ? objectsOf(images) : undefined;
};

/** A side of a tailoring with other images of a variant. */
export function withImages(side: JsonObject, variantId: number, images: JsonObject[] | undefined): JsonObject {
  const variants = objectsOf(side.variants);
  const at = variants.findIndex((variant) => variant.id === variantId);
  const { images: _, ...rest } = variants[at] ?? { id: variantId };
  const next: JsonObject = images ? { ...rest, images } : rest;
  return { ...side, variants: at < 0 ? [...variants, next] : variants.with(at, next) };
}

/** Finds the update actions for the images of variants. */
export const tailoringPlanner: PartPlanner = {
  paths: new Set(['staged.variants']),
  plan: (_, before, after) => {
    const [from, to] = [stagedOf(before), stagedOf(after)];
    const ids = new Set([...objectsOf(from.variants), ...objectsOf(to.variants)].map((variant) => Number(variant.id)));
    const actions = [...ids].flatMap((variantId): UpdateAction[] => {
      const [was, is] = [ownImages(from, variantId), ownImages(to, variantId)];
      if (equal(was, is)) return [];
      return [{ action: 'setImages', variantId, ...(is ? { images: is } : {}) }];
    });
    return { actions, impossible: [] };
  },
};

import type { JsonObject } from '../../model/types';
import { objectsOf } from '../../model/values';
import { sideOf, STAGED, textIn, variantsOf } from '../products/variants';

/** The first image of a Product, or its place. */
export function ProductImage({ product }: { product: JsonObject | undefined }) {
  const url = variantsOf(sideOf(product ?? {}, STAGED))
    .map((variant) => textIn(objectsOf(variant.images)[0]?.url))
    .find((one) => one !== undefined);
  return url ? <img className="thumb" src={url} alt="" loading="lazy" /> : <span className="thumb" />;
}

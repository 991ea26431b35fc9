import { useMemo } from 'react';
import { useKind } from '../../api/hooks';
import { useModel } from '../../api/project';
import { useTarget } from '../../api/references';
import { usePreferences } from '../../app/preferences';
import type { Document, JsonObject } from '../../model/types';
import { objectOf } from '../../model/values';
import { differencesOf, type DifferenceGroup } from '../products/differences';
import { useProductTexts } from '../products/texts';
import { sideOf } from '../products/variants';

/** The Product that a tailoring is about. */
export function useTailoredProduct(tailoring: JsonObject): Document | undefined {
  const { kind, mayView } = useKind('Product');
  const id = objectOf(tailoring.product)?.id;
  const { data } = useTarget(kind, { id: typeof id === 'string' ? id : undefined }, mayView);
  return data ?? undefined;
}

/** A Store shows nothing of a tailoring that is not published. */
const NOTHING: JsonObject = {};

/** Returns the differences between the published side of a tailoring and the staged one. */
export function useTailoringDifferences(tailoring: JsonObject): DifferenceGroup[] {
  const t = useProductTexts();
  const model = useModel();
  const { language } = usePreferences();
  const product = useTailoredProduct(tailoring);
  const type = useTarget(model.kindOfType('product-type'), { id: idIn(product, 'productType') });
  const current = tailoring.published === true ? sideOf(tailoring, 'current') : NOTHING;
  const staged = sideOf(tailoring, 'staged');
  return useMemo(
    () =>
      differencesOf(current, staged, {
        model,
        type: 'ProductTailoringData',
        productType: type.data ?? undefined,
        names: () => undefined,
        language,
        words: { image: t('image'), price: t('price'), assets: t('assets'), master: t('masterVariant') },
      }),
    [current, staged, model, type.data, language, t],
  );
}

function idIn(document: JsonObject | undefined, name: string): string | undefined {
  const id = objectOf(document?.[name])?.id;
  return typeof id === 'string' ? id : undefined;
}

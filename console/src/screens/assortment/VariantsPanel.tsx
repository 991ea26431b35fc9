import { useState } from 'react';
import { useKind } from '../../api/hooks';
import { usePreferences } from '../../app/preferences';
import { titleOf } from '../../model/display';
import type { Document } from '../../model/types';
import { objectsOf } from '../../model/values';
import { Button } from '../../ui/Button';
import { Choices } from '../../ui/Choices';
import { Banner } from '../../ui/Feedback';
import { Checkbox } from '../../ui/Field';
import { Panel } from '../../ui/Overlay';
import { useWords } from '../../ui/texts';
import { CURRENT, sideOf, STAGED, textIn, variantsOf } from '../products/variants';
import { ALL, type Mode, type VariantChoice } from './assignments';
import { useAssortmentTexts } from './texts';

/** The variants of both sides of a Product that have an SKU, with an image. */
function variantsIn(product: Document): Map<string, string | undefined> {
  const found = new Map<string, string | undefined>();
  for (const side of [STAGED, CURRENT])
    for (const variant of variantsOf(sideOf(product, side))) {
      const sku = textIn(variant.sku);
      if (sku && !found.has(sku)) found.set(sku, textIn(objectsOf(variant.images)[0]?.url));
    }
  return found;
}

/** Chooses which variants of a Product an assignment is about. */
export default function VariantsPanel({
  mode,
  product,
  choice,
  onChoose,
  onClose,
}: {
  mode: Mode;
  product: Document;
  choice: VariantChoice;
  onChoose: (choice: VariantChoice) => void;
  onClose: () => void;
}) {
  const t = useAssortmentTexts();
  const words = useWords();
  const { language } = usePreferences();
  const { kind } = useKind('Product');
  const [is, setIs] = useState(choice.is);
  const [skus, setSkus] = useState<ReadonlySet<string>>(new Set(choice.skus));
  const variants = variantsIn(product);
  const isList = mode === 'Individual';
  const toggle = (sku: string, on: boolean) => {
    const next = new Set(skus);
    if (on) next.add(sku);
    else next.delete(sku);
    setSkus(next);
  };
  const isReady = is === 'all' || skus.size > 0;
  return (
    <Panel
      title={t('variantsOf', { name: kind ? titleOf(kind, product, language) : product.id })}
      isOpen
      onClose={onClose}
      footer={
        <>
          <Button onPress={onClose}>{words('cancel')}</Button>
          <Button look="primary" isDisabled={!isReady} onPress={() => onChoose(is === 'all' ? ALL : { is, skus: [...skus] })}>
            {words('done')}
          </Button>
        </>
      }
    >
      <div className="stack">
        <Choices
          label={t('chooseVariants')}
          value={is}
          options={[
            { id: 'all', label: t(isList ? 'allVariants' : 'wholeProduct') },
            { id: 'only', label: t('only') },
            ...(isList ? [{ id: 'except' as const, label: t('except') }] : []),
          ]}
          onChange={setIs}
        />
        {is !== 'all' &&
          (variants.size === 0 ? (
            <Banner look="warning">{t('noSkus')}</Banner>
          ) : (
            <>
              <ul className="choice-rows" aria-label={t('chooseVariants')}>
                {[...new Set([...variants.keys(), ...skus])].map((sku) => (
                  <li key={sku}>
                    <Checkbox isSelected={skus.has(sku)} onChange={(on) => toggle(sku, on)}>
                      <span className="row">
                        {variants.get(sku) ? (
                          <img className="thumb" src={variants.get(sku)} alt="" />
                        ) : (
                          <span className="thumb" />
                        )}
                        <span className="mono">{sku}</span>
                      </span>
                    </Checkbox>
                  </li>
                ))}
              </ul>
              <p className="muted small">{t('variantsHint')}</p>
            </>
          ))}
      </div>
    </Panel>
  );
}

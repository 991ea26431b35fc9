import { usePreferences } from '../../app/preferences';
import type { Document, Kind } from '../../model/types';
import { objectsOf, valueAt } from '../../model/values';
import { Reference } from '../../ui/Reference';
import { stockOf } from './columns';
import { priceRange } from './price-range';
import { PublicationChips } from './PublicationChips';
import { useProductTexts } from './texts';
import { sideOf, STAGED, textIn, variantsOf } from './variants';
import { FactList } from './FactList';
import './products.css';

/** Shows a Product at a glance: picture, state, type, variants, prices, stock. */
export default function ProductSummary({ document }: { kind: Kind; document: Document }) {
  const t = useProductTexts();
  const { language } = usePreferences();
  const variants = variantsOf(sideOf(document, STAGED));
  const url = variants.map((variant) => textIn(objectsOf(variant.images)[0]?.url)).find((one) => one !== undefined);
  const stocks = variants.map(stockOf).filter((one) => one !== undefined);
  const facts: [string, React.ReactNode][] = [
    [t('status'), <PublicationChips key="status" product={document} />],
    [t('productType'), <Reference key="type" value={document.productType} compact />],
    [t('variants'), variants.length],
    [t('price'), priceRange(variants, language) || '–'],
    [t('stock'), stocks.length > 0 ? stocks.reduce((sum, one) => sum + one, 0).toLocaleString(language) : '–'],
    [t('taxCategory'), document.taxCategory ? <Reference key="tax" value={document.taxCategory} compact /> : '–'],
  ];
  return (
    <section className="product-summary" aria-label={t('summary')}>
      {url ? (
        <img className="product-image" src={url} alt={textIn(valueAt(document, `${STAGED}.masterVariant.images`)) ?? ''} />
      ) : (
        <span className="product-image" />
      )}
      <FactList facts={facts} />
    </section>
  );
}

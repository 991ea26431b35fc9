import type { ReactNode } from 'react';
import type { Document, Kind } from '../../model/types';
import { isObject } from '../../model/values';
import { Reference } from '../../ui/Reference';
import { ProductImage } from './ProductImage';
import { StatusChips } from './StatusChips';
import { useTailoredProduct } from './tailoring';
import { sideOf } from '../products/variants';
import { useAssortmentTexts } from './texts';
import { FactList } from '../products/FactList';
import '../products/products.css';
import './assortment.css';

/** Shows the Product and the Store of a tailoring, and whether customers see it. */
export default function TailoringSummary({ document }: { kind: Kind; document: Document }) {
  const t = useAssortmentTexts();
  const product = useTailoredProduct(document);
  const fields = Object.values(sideOf(document, 'staged')).filter((value) => isObject(value)).length;
  const facts: [string, ReactNode][] = [
    [t('product'), <Reference key="product" value={document.product} compact />],
    [t('store'), <Reference key="store" value={document.store} compact />],
    [t('status'), <StatusChips key="status" tailoring={document} />],
    [t('tailored'), t('fieldCount', { count: fields })],
  ];
  return (
    <section className="product-summary">
      <ProductImage product={product} />
      <FactList facts={facts} />
    </section>
  );
}

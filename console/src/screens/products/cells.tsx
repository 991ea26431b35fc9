import { useTarget } from '../../api/references';
import { useModel } from '../../api/project';
import { usePreferences } from '../../app/preferences';
import type { Document } from '../../model/types';
import { objectsOf } from '../../model/values';
import { LocalizedText } from '../../ui/values';
import { stockOf } from './columns';
import { priceRange } from './price-range';
import { PublicationChips } from './PublicationChips';
import { CURRENT, sideOf, STAGED, textIn, variantsOf } from './variants';
import './products.css';

/** The side that a list shows: the published one, if there is one. */
const shownSide = (product: Document) => sideOf(product, sideOf(product, 'masterData').published === true ? CURRENT : STAGED);

function NameCell({ document }: { document: Document }) {
  const side = shownSide(document);
  const url = variantsOf(side)
    .map((variant) => textIn(objectsOf(variant.images)[0]?.url))
    .find((one) => one !== undefined);
  return (
    <span className="row product-name">
      {url ? <img className="thumb" src={url} alt="" loading="lazy" /> : <span className="thumb" />}
      <span className="truncate">
        <LocalizedText value={side.name} />
      </span>
    </span>
  );
}

function PriceCell({ document }: { document: Document }) {
  const { language } = usePreferences();
  return (
    <span className="numbers">{priceRange(variantsOf(shownSide(document)), language) || <span className="muted">–</span>}</span>
  );
}

function StockCell({ document }: { document: Document }) {
  const { language } = usePreferences();
  const amounts = variantsOf(shownSide(document))
    .map(stockOf)
    .filter((one) => one !== undefined);
  if (amounts.length === 0) return <span className="muted">–</span>;
  const sum = amounts.reduce((all, one) => all + one, 0);
  return <span className={`numbers${sum <= 0 ? ' stock-none' : ''}`}>{sum.toLocaleString(language)}</span>;
}

function VariantsCell({ document }: { document: Document }) {
  const variants = variantsOf(shownSide(document));
  return (
    <span className="numbers" title={variants.map((variant) => textIn(variant.sku)).join('\n')}>
      {variants.length}
    </span>
  );
}

function TypeCell({ document }: { document: Document }) {
  const model = useModel();
  const reference = sideOf(document, 'productType');
  const { data } = useTarget(model.kindOfType('product-type'), { id: textIn(reference.id) });
  return <span className="truncate">{textIn(data?.name) ?? ''}</span>;
}

const CELLS = {
  name: NameCell,
  status: ({ document }: { document: Document }) => <PublicationChips product={document} />,
  price: PriceCell,
  stock: StockCell,
  variants: VariantsCell,
  type: TypeCell,
};
export type CellName = keyof typeof CELLS;

/** A cell of the list of Products. */
export default function ProductCell({ name, document }: { name: CellName; document: Document }) {
  const Cell = CELLS[name];
  return <Cell document={document} />;
}

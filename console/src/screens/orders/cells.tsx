import { usePreferences } from '../../app/preferences';
import type { Document } from '../../model/types';
import { Chip } from '../../ui/Feedback';
import { isObject } from '../../model/values';
import { textOf } from '../../ui/values';

/** `2 × Oak chair +1`; of a document without items the end of its id. */
function ItemsCell({ document }: { document: Document }) {
  const { language } = usePreferences();
  const items = [document.lineItems, document.customLineItems]
    .flatMap((list) => (Array.isArray(list) ? list : []))
    .filter(isObject);
  const [first] = items;
  if (!first) return <span className="muted">…{document.id.slice(-8)}</span>;
  const text = `${String(first.quantity)} × ${textOf(first.name, language)?.text ?? ''}`;
  return (
    <span title={text} dir="auto">
      {text}
      {items.length > 1 && <span className="muted"> +{items.length - 1}</span>}
    </span>
  );
}

/** How many codes a Cart has, and whether they count. */
function CodesCell({ document }: { document: Document }) {
  const codes = (Array.isArray(document.discountCodes) ? document.discountCodes : []).filter(isObject);
  if (codes.length === 0) return <span className="muted">–</span>;
  const counting = codes.filter((code) => code.state === 'MatchesCart').length;
  return (
    <Chip look={counting === codes.length ? 'success' : 'danger'}>
      {counting === codes.length ? String(codes[0]!.state) : String(codes.find((code) => code.state !== 'MatchesCart')?.state)}
    </Chip>
  );
}

export const itemCells = {
  lineItems: (document: Document) => <ItemsCell document={document} />,
  discountCodes: (document: Document) => <CodesCell document={document} />,
};

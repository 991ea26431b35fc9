import { usePreferences } from '../../app/preferences';
import type { Document } from '../../model/types';
import { Chip } from '../../ui/Feedback';
import { isObject } from '../../model/values';
import { firstItem } from './items-text';

/** `2 × Oak chair +1`; of a document without items the end of its id. */
function ItemsCell({ document }: { document: Document }) {
  const { language } = usePreferences();
  const first = firstItem(document, language);
  if (!first) return <span className="muted">…{document.id.slice(-8)}</span>;
  return (
    <span title={first.text} dir="auto">
      {first.text}
      {first.more > 0 && <span className="muted"> +{first.more}</span>}
    </span>
  );
}

/** Shows the number of codes of a Cart, and whether they apply. */
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

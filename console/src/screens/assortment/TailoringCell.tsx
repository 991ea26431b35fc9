import type { Document } from '../../model/types';
import { LocalizedText } from '../../ui/values';
import { sideOf } from '../products/variants';
import { StatusChips } from './StatusChips';

const CELLS = {
  status: ({ document }: { document: Document }) => <StatusChips tailoring={document} />,
  name: ({ document }: { document: Document }) => <LocalizedText value={sideOf(document, 'staged').name} />,
};
export type TailoringCellName = keyof typeof CELLS;

/** A cell of the list of tailorings. */
export default function TailoringCell({ name, document }: { name: TailoringCellName; document: Document }) {
  const Cell = CELLS[name];
  return <Cell document={document} />;
}

import { useOpenDocument } from '../../detail/editing';
import type { Document, Kind } from '../../model/types';
import { Button } from '../../ui/Button';
import { useDiscountTexts } from './texts';

/** Switches a discount on or off, after a look at the update action. */
export default function DiscountActions({ document }: { kind: Kind; document: Document }) {
  const t = useDiscountTexts();
  const { editing, mayUpdate, review } = useOpenDocument();
  if (!mayUpdate) return null;
  const isActive = document.isActive !== false;
  return (
    <Button
      onPress={() => {
        editing.setField('isActive', !isActive);
        review();
      }}
    >
      {isActive ? t('deactivate') : t('activate')}
    </Button>
  );
}

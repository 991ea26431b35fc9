import { Reference } from '../../ui/Reference';
import { Money } from '../../ui/values';
import type { Portion } from './documents';
import { useOrderTexts } from './texts';

/** `−10,00 € Summer sale` */
export function DiscountLine({ portion }: { portion: Portion }) {
  const t = useOrderTexts();
  const { discount, amount } = portion;
  const isDirect = discount.typeId === 'direct-discount';
  return (
    <span className="row discount-line">
      <span className="discount-amount">
        −<Money value={amount} />
      </span>
      <span className="truncate">{isDirect ? t('directDiscount') : <Reference value={discount} compact />}</span>
    </span>
  );
}

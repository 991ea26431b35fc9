import { IconButton } from '../../ui/Button';
import { TextField } from '../../ui/Field';
import { useOrderTexts } from './texts';

/** A whole number between 0 and a maximum, with buttons for one less and one more. */
export function QuantityField({
  name,
  value,
  max,
  onChange,
}: {
  /** Of the item. */
  name: string;
  value: number;
  max?: number;
  onChange: (value: number) => void;
}) {
  const t = useOrderTexts();
  const set = (next: number) => onChange(Math.max(0, Math.min(max ?? Number.MAX_SAFE_INTEGER, next)));
  return (
    <div className="quantity">
      <IconButton small icon="minus" label={t('oneLess', { name })} isDisabled={value <= 0} onPress={() => set(value - 1)} />
      <TextField
        aria-label={t('quantityOf', { name })}
        inputMode="numeric"
        value={String(value)}
        onChange={(text) => /^\d{0,9}$/.test(text) && set(Number(text))}
      />
      <IconButton
        small
        icon="plus"
        label={t('oneMore', { name })}
        isDisabled={max !== undefined && value >= max}
        onPress={() => set(value + 1)}
      />
    </div>
  );
}

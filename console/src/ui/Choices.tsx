import { useId } from 'react';

/** One of a few choices, side by side. */
export function Choices<T extends string>({
  label,
  value,
  options,
  onChange,
}: {
  label: string;
  value: T;
  options: { id: T; label: string }[];
  onChange: (value: T) => void;
}) {
  const name = useId();
  return (
    <div className="choices" role="radiogroup" aria-label={label}>
      {options.map((option) => (
        <label key={option.id} className="choice" data-chosen={option.id === value || undefined}>
          <input
            className="visually-hidden"
            type="radio"
            name={name}
            checked={option.id === value}
            onChange={() => onChange(option.id)}
          />
          {option.label}
        </label>
      ))}
    </div>
  );
}

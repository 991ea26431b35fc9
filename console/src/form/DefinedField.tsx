import { usePreferences } from '../app/preferences';
import { shortText } from '../model/display';
import type { Json } from '../model/types';
import { equal, humanize, isObject } from '../model/values';
import { Checkbox, FieldGroup, Select } from '../ui/Field';
import type { ValueDefinition } from './definitions';
import { FieldEditor } from './FieldEditor';
import { useFormTexts } from './texts';

const keyOf = (value: Json | undefined): string | undefined =>
  isObject(value) ? (typeof value.key === 'string' ? value.key : undefined) : typeof value === 'string' ? value : undefined;

/** Edits a custom field or an Attribute by its definition. */
export function DefinedField({
  definition,
  value,
  onChange,
  stored,
  isDisabled,
  hint,
}: {
  definition: ValueDefinition;
  value: Json | undefined;
  onChange: (value: Json | undefined) => void;
  stored?: Json;
  isDisabled?: boolean;
  hint?: string;
}) {
  const t = useFormTexts();
  const { language } = usePreferences();
  const label = shortText(definition.label, language) ?? humanize(definition.name);
  const changed = !equal(stored, value);
  if (definition.choices) {
    const options = definition.choices.map((choice) => ({
      id: choice.key,
      label: shortText(choice.label, language) ?? choice.key,
      hint: choice.key,
    }));
    if (definition.isSet) {
      const chosen = Array.isArray(value) ? value.map(keyOf) : [];
      const toggle = (key: string, on: boolean) => {
        const next = on ? [...chosen, key] : chosen.filter((one) => one !== key);
        onChange(next.length === 0 ? undefined : (next as Json[]));
      };
      return (
        <FieldGroup label={label} required={definition.required} changed={changed} hint={hint}>
          <div className="row wrap">
            {options.map((option) => (
              <Checkbox
                key={option.id}
                isSelected={chosen.includes(option.id)}
                isDisabled={isDisabled}
                onChange={(on) => toggle(option.id, on)}
              >
                {option.label}
              </Checkbox>
            ))}
          </div>
        </FieldGroup>
      );
    }
    const all = definition.required ? options : [{ id: '', label: t('unset') }, ...options];
    return (
      <Select
        label={label}
        required={definition.required}
        changed={changed}
        hint={hint}
        options={all}
        value={keyOf(value) ?? (definition.required ? null : '')}
        isDisabled={isDisabled}
        onChange={(key) => onChange(key || undefined)}
      />
    );
  }
  return (
    <FieldEditor
      field={{ ...definition.field, label, description: hint }}
      value={value}
      onChange={onChange}
      stored={stored}
      path={definition.name}
      mayEdit={isDisabled ? () => false : undefined}
    />
  );
}

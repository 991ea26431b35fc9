import { useEffect, useState } from 'react';
import { JsonEditor } from '../editor';
import type { Json } from '../model/types';
import { equal } from '../model/values';
import { FieldGroup } from '../ui/Field';
import type { ValueProps } from './ScalarField';
import { useFormTexts } from './texts';

const show = (value: Json | undefined) => (value === undefined ? '' : JSON.stringify(value, null, 2));

/** Any JSON. */
export function JsonField(props: ValueProps) {
  const t = useFormTexts();
  const [text, setText] = useState(() => show(props.value));
  const [bad, setBad] = useState(false);
  useEffect(() => {
    setText((current) => {
      try {
        return equal(JSON.parse(current || 'null') as Json, props.value ?? null) ? current : show(props.value);
      } catch {
        return current;
      }
    });
  }, [props.value]);
  const change = (next: string) => {
    setText(next);
    try {
      props.onChange(next.trim() === '' ? undefined : (JSON.parse(next) as Json));
      setBad(false);
    } catch {
      setBad(true);
    }
  };
  return (
    <FieldGroup
      label={props.label}
      hint={props.hint}
      error={props.error ?? (bad ? t('invalidJson') : undefined)}
      required={props.required}
      changed={props.changed}
    >
      <JsonEditor
        value={text}
        onChange={change}
        readOnly={props.isDisabled}
        label={typeof props.label === 'string' ? props.label : props.field.name}
      />
    </FieldGroup>
  );
}

import { useState } from 'react';
import { labelOf } from '../model/model';
import type { Field } from '../model/types';
import { equal, isObject } from '../model/values';
import { Button, IconButton } from '../ui/Button';
import { FieldGroup, TextField } from '../ui/Field';
import { useWords } from '../ui/texts';
import { FieldEditor, type FieldEditorProps } from './FieldEditor';
import { useFormTexts } from './texts';

/** An object with free names. */
export function MapField(props: FieldEditorProps & { isDisabled: boolean }) {
  const t = useFormTexts();
  const words = useWords();
  const [name, setName] = useState('');
  const value = isObject(props.value) ? props.value : {};
  const inner: Field = { ...props.field, map: false };
  const add = () => {
    if (!name.trim()) return;
    props.onChange({ ...value, [name.trim()]: props.field.list > 0 ? [] : '' });
    setName('');
  };
  const remove = (entry: string) => props.onChange(Object.fromEntries(Object.entries(value).filter(([one]) => one !== entry)));
  return (
    <FieldGroup
      label={labelOf(props.field)}
      hint={props.field.description}
      required={props.field.required}
      error={props.error}
      changed={'stored' in props && !equal(props.stored, props.value)}
    >
      <div className="nested stack">
        {Object.entries(value).map(([entry, one]) => (
          <div key={entry} className="row-top">
            <div className="grow">
              <FieldEditor
                {...props}
                field={{ ...inner, name: entry, description: undefined }}
                value={one}
                onChange={(next) => props.onChange({ ...value, [entry]: next ?? null })}
                stored={isObject(props.stored) ? props.stored[entry] : undefined}
              />
            </div>
            {!props.isDisabled && (
              <IconButton small icon="trash" label={`${words('remove')}: ${entry}`} onPress={() => remove(entry)} />
            )}
          </div>
        ))}
        {!props.isDisabled && (
          <div className="row">
            <div className="grow">
              <TextField
                aria-label={t('entryName')}
                placeholder={t('entryName')}
                value={name}
                onChange={setName}
                onKeyDown={(event) => {
                  if (event.key === 'Enter') {
                    event.preventDefault();
                    add();
                  }
                }}
              />
            </div>
            <Button icon="plus" onPress={add}>
              {t('addEntry')}
            </Button>
          </div>
        )}
      </div>
    </FieldGroup>
  );
}

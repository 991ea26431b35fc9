import { useState } from 'react';
import { useModel } from '../api/project';
import { emptyValue } from '../model/draft';
import { labelOf } from '../model/model';
import type { Json } from '../model/types';
import { equal, isObject } from '../model/values';
import { Button, IconButton } from '../ui/Button';
import { FieldGroup, Select } from '../ui/Field';
import { FieldsEditor, type FieldEditorProps } from './FieldEditor';
import { useFormTexts } from './texts';

const FIELDS_AT_FIRST = 8;

const isEmpty = (value: Json | undefined) =>
  value === undefined || (typeof value === 'object' && value !== null && Object.keys(value).length === 0);

/** The fields of an object of one type: required and filled ones first, the others on request. */
function TypedFields({ typeName, ...props }: FieldEditorProps & { typeName: string }) {
  const t = useFormTexts();
  const model = useModel();
  const [all, setAll] = useState(false);
  const value = isObject(props.value) ? props.value : {};
  const stored = isObject(props.stored) ? props.stored : undefined;
  const discriminator = model.type(props.field.type)?.discriminator;
  const editable = props.mayEdit === undefined || props.mayEdit(props.path);
  const fields = model
    .fieldsOf(typeName)
    .filter(
      (field) => (editable ? !field.readOnly && !field.deprecated : !isEmpty(value[field.name])) && field.name !== discriminator,
    );
  const shown =
    all || !editable || fields.length <= FIELDS_AT_FIRST
      ? fields
      : fields.filter((field) => field.required || value[field.name] !== undefined || stored?.[field.name] !== undefined);
  const hidden = fields.length - shown.length;
  return (
    <>
      <FieldsEditor
        fields={shown}
        value={value}
        onChange={props.onChange}
        path={props.path}
        mayEdit={props.mayEdit}
        mayArrange={props.mayArrange}
        owner={model.customOwner(typeName)}
        document={props.document}
        {...('stored' in props ? { stored } : {})}
      />
      {(hidden > 0 || (all && fields.length > FIELDS_AT_FIRST)) && (
        <Button small look="plain" icon={all ? 'up' : 'down'} onPress={() => setAll(!all)}>
          {all ? t('fewer') : t('showAll', { count: hidden })}
        </Button>
      )}
    </>
  );
}

/** An object, or one of several objects that a field distinguishes. */
export function ObjectField(props: FieldEditorProps & { isDisabled: boolean }) {
  const t = useFormTexts();
  const model = useModel();
  const { field, value } = props;
  const type = model.type(field.type)!;
  const label = props.hideLabel ? undefined : labelOf(field);
  const editable = props.mayEdit === undefined || props.mayEdit(props.path);
  if (!isObject(value)) {
    return (
      <FieldGroup
        label={label}
        hint={field.description}
        required={editable && field.required}
        error={props.error}
        changed={'stored' in props && props.stored !== undefined}
      >
        {editable ? (
          <div>
            <Button small icon="plus" onPress={() => props.onChange(emptyValue(model, field.type))}>
              {t('setValue', { name: labelOf(field) })}
            </Button>
          </div>
        ) : (
          <span className="muted">{t('noValue')}</span>
        )}
      </FieldGroup>
    );
  }
  const remove = editable && !field.required && (
    <IconButton small icon="close" label={t('removeValue', { name: labelOf(field) })} onPress={() => props.onChange(undefined)} />
  );
  const member = type.options ? model.memberOf(type, value) : field.type;
  return (
    <FieldGroup
      label={label}
      hint={field.description}
      required={editable && field.required}
      error={props.error}
      changed={'stored' in props && !equal(props.stored, value)}
      action={remove}
    >
      <div className="nested">
        {type.options && (
          <div className="fields">
            <Select
              label={t('kindOfValue')}
              isDisabled={!editable}
              value={String(value[type.discriminator ?? 'type'] ?? type.default ?? '')}
              options={Object.keys(type.options).map((id) => ({ id, label: id }))}
              onChange={(id) => props.onChange({ ...emptyValue(model, type.options![id]!), [type.discriminator ?? 'type']: id })}
            />
          </div>
        )}
        {member && <TypedFields {...props} typeName={member} />}
      </div>
    </FieldGroup>
  );
}

import { useState } from 'react';
import { useModel } from '../api/project';
import { usePreferences } from '../app/preferences';
import { sameElement } from '../model/changes';
import { emptyValue } from '../model/draft';
import { isLocalized, isMoney, isReference, labelOf, type ModelIndex } from '../model/model';
import { shortText } from '../model/display';
import type { Field, Json, JsonObject, Kind } from '../model/types';
import { equal, humanize, isObject, singular } from '../model/values';
import { Button, IconButton } from '../ui/Button';
import { FieldGroup, Select, TextField } from '../ui/Field';
import { ReferencePicker } from '../ui/ReferencePicker';
import { Icon } from '../ui/Icon';
import { useWords } from '../ui/texts';
import { ValueCell } from '../ui/ValueCell';
import { AttributesField } from './AttributesField';
import { CustomFieldsField } from './CustomFieldsField';
import { JsonField } from './JsonField';
import { LocalizedField } from './LocalizedField';
import { MoneyField } from './MoneyField';
import { ScalarField } from './ScalarField';
import { useFormTexts } from './texts';

export interface FieldEditorProps {
  field: Field;
  value: Json | undefined;
  onChange: (value: Json | undefined) => void;
  /** The value as it is stored; a different one is marked as changed. */
  stored?: Json;
  /** Whether the value at a path may change; absent: all may. */
  mayEdit?: (path: string) => boolean;
  /** Whether the elements of the list at a path may change their order; absent: all may. */
  mayArrange?: (path: string) => boolean;
  path: string;
  error?: string;
  /** The document around the field: Attributes need its Product Type. */
  document?: JsonObject;
  /** The `ResourceTypeId` of custom fields. */
  owner?: string;
  hideLabel?: boolean;
}

/** The kinds that a reference may name. */
export function targetsOf(model: ModelIndex, field: Field): Kind[] {
  const names = field.references?.length
    ? field.references
    : model.kinds.filter((kind) => !kind.hidden && !kind.singleton).map((kind) => kind.typeId);
  return [...new Set(names)].map((name) => model.kindOfType(name)).filter((kind) => kind !== undefined);
}

/** Edits the value of any field, by its type. */
export function FieldEditor(props: FieldEditorProps) {
  const model = useModel();
  const { field, value, path } = props;
  const isDisabled = props.mayEdit ? !props.mayEdit(path) : false;
  if (isDisabled && isShort(model, field)) return <ReadField {...props} />;
  const common = {
    field,
    value,
    onChange: props.onChange,
    isDisabled,
    error: props.error,
    label: props.hideLabel ? undefined : labelOf(field),
    hint: props.hideLabel ? undefined : field.description?.split('\n').join(' '),
    required: field.required,
    changed: 'stored' in props && !equal(props.stored, value),
  };
  if (field.list > 0) {
    if (field.type === 'Attribute' || field.type === 'AttributeDraft') return <AttributesField {...props} />;
    return <ListField {...props} isDisabled={isDisabled} />;
  }
  if (field.map) return isLocalized(field) ? <LocalizedField {...common} /> : <MapField {...props} isDisabled={isDisabled} />;
  if (isLocalized(field)) return <LocalizedField {...common} />;
  if (isMoney(field)) return <MoneyField {...common} />;
  if (isReference(field)) return <ReferencePicker {...common} kinds={targetsOf(model, field)} byKey={field.keyReference} />;
  if (field.type === 'CustomFields' || field.type === 'CustomFieldsDraft')
    return <CustomFieldsField {...common} owner={field.custom ?? props.owner} />;
  if (field.type === 'Json' || field.type === 'Object' || field.type === 'FieldContainer') return <JsonField {...common} />;
  const type = model.type(field.type);
  if (type) return <ObjectField {...props} isDisabled={isDisabled} />;
  return <ScalarField {...common} />;
}

/** Whether a value that cannot change is shown as one line. */
const isShort = (model: ModelIndex, field: Field) =>
  field.map !== true &&
  (field.list === 0
    ? (model.type(field.type) === undefined &&
        !['CustomFields', 'CustomFieldsDraft', 'Json', 'Object', 'FieldContainer'].includes(field.type)) ||
      isMoney(field) ||
      isReference(field)
    : !model.type(field.type) || isReference(field));

/** A value that no update action of the operator changes. */
function ReadField({ field, value, hideLabel }: FieldEditorProps) {
  return (
    <div className="field read-field">
      {!hideLabel && (
        <span className="field-label" title={field.description}>
          {labelOf(field)}
        </span>
      )}
      <div className="read-value">
        <ValueCell field={field} value={value} />
      </div>
    </div>
  );
}

const BY_THEMSELVES = new Set(['Json', 'Object', 'CustomFields', 'CustomFieldsDraft', 'FieldContainer']);

/** Whether a text of the field is often long. */
export const isLongText = (field: Field) => field.type === 'String' && /description|comment|predicate|text$/i.test(field.name);

/** Whether the editor of a field needs the width of the page. */
export const isWide = (field: Field, model: ModelIndex): boolean =>
  field.list > 0 ||
  field.map === true ||
  isLocalized(field) ||
  isLongText(field) ||
  BY_THEMSELVES.has(field.type) ||
  (model.type(field.type) !== undefined && !isMoney(field) && !isReference(field));

/** The editors of the fields of an object, in two columns. */
export function FieldsEditor({
  fields,
  value,
  onChange,
  ...rest
}: Omit<FieldEditorProps, 'field' | 'value' | 'onChange' | 'stored'> & {
  fields: Field[];
  value: JsonObject;
  onChange: (value: JsonObject) => void;
  stored?: JsonObject;
}) {
  const model = useModel();
  const { stored, errors, ...common } = rest as typeof rest & { errors?: Record<string, string> };
  const set = (name: string) => (next: Json | undefined) => {
    const copy = { ...value };
    if (next === undefined) delete copy[name];
    else copy[name] = next;
    onChange(copy);
  };
  return (
    <div className="fields">
      {fields.map((field) => (
        <div key={field.name} className={isWide(field, model) ? 'fields-wide' : undefined}>
          <FieldEditor
            {...common}
            {...('stored' in rest ? { stored: stored?.[field.name] } : {})}
            field={field}
            value={value[field.name]}
            onChange={set(field.name)}
            path={rest.path ? `${rest.path}.${field.name}` : field.name}
            error={errors?.[field.name]}
            document={rest.document ?? value}
          />
        </div>
      ))}
    </div>
  );
}

const FIELDS_AT_FIRST = 8;

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
      (field) =>
        (editable ? !field.readOnly && !field.deprecated : value[field.name] !== undefined) && field.name !== discriminator,
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

function ObjectField(props: FieldEditorProps & { isDisabled: boolean }) {
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
        required={field.required}
        error={props.error}
        changed={'stored' in props && props.stored !== undefined}
      >
        {editable ? (
          <div>
            <Button small icon="plus" onPress={() => props.onChange(emptyValue(model, field.type))}>
              {t('setValue', { name: humanize(field.name) })}
            </Button>
          </div>
        ) : (
          <span className="muted">{t('noValue')}</span>
        )}
      </FieldGroup>
    );
  }
  const remove = editable && !field.required && (
    <IconButton
      small
      icon="close"
      label={t('removeValue', { name: humanize(field.name) })}
      onPress={() => props.onChange(undefined)}
    />
  );
  const member = type.options ? model.memberOf(type, value) : field.type;
  return (
    <FieldGroup
      label={label}
      hint={field.description}
      required={field.required}
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

function ListField(props: FieldEditorProps & { isDisabled: boolean }) {
  const t = useFormTexts();
  const words = useWords();
  const model = useModel();
  const { language } = usePreferences();
  const { field } = props;
  const list = Array.isArray(props.value) ? props.value : [];
  const stored = Array.isArray(props.stored) ? props.stored : [];
  const one = singular(labelOf(field));
  const inner: Field = {
    ...field,
    list: (field.list - 1) as 0 | 1,
    required: true,
    description: undefined,
    name: singular(field.name),
  };
  const simple = !model.type(field.type) || isMoney(field);
  const set = (at: number, next: Json | undefined) =>
    props.onChange(list.map((value, index) => (index === at ? (next ?? null) : value)));
  const remove = (at: number) => {
    const next = list.filter((_, index) => index !== at);
    props.onChange(next.length === 0 && !field.required && props.stored === undefined ? undefined : next);
  };
  const move = (at: number, by: number) => {
    const next = [...list];
    const [moved] = next.splice(at, 1);
    next.splice(at + by, 0, moved!);
    props.onChange(next);
  };
  const [added, setAdded] = useState(-1);
  const add = () => {
    setAdded(list.length);
    props.onChange([
      ...list,
      inner.list > 0
        ? []
        : simple
          ? isReference(inner)
            ? {}
            : (model.enumOf(inner.type)?.[0] ?? (isLocalized(inner) || isMoney(inner) ? {} : ''))
          : emptyValue(model, field.type),
    ]);
  };
  const before = (value: Json) => stored.find((other) => sameElement(other, value));
  return (
    <FieldGroup
      label={props.hideLabel ? undefined : labelOf(field)}
      hint={field.description}
      required={(field.limits?.minItems ?? 0) > 0}
      error={props.error}
      changed={'stored' in props && !equal(props.stored ?? [], props.value ?? [])}
    >
      {list.length === 0 && props.isDisabled && <span className="muted">{words('none')}</span>}
      <ul className={simple ? 'list-simple' : 'list-objects'}>
        {list.map((value, at) => {
          const name =
            (isObject(value) &&
              (shortText(value.name, language) ?? shortText(value.key, language) ?? shortText(value.label, language))) ||
            `${one} ${at + 1}`;
          const buttons = !props.isDisabled && (
            <span className="row item-buttons">
              {list.length > 1 && (props.mayArrange?.(props.path) ?? true) && (
                <IconButton
                  small
                  icon="up"
                  label={`${words('moveUp')}: ${name}`}
                  isDisabled={at === 0}
                  onPress={() => move(at, -1)}
                />
              )}
              <IconButton small icon="trash" label={t('removeItem', { name: one, number: at + 1 })} onPress={() => remove(at)} />
            </span>
          );
          if (simple) {
            return (
              <li key={at} className="row-top">
                <div className="grow">
                  <FieldEditor
                    field={{ ...inner, name: `${inner.name} ${at + 1}` }}
                    value={value}
                    onChange={(next) => set(at, next)}
                    path={props.path}
                    mayEdit={props.mayEdit}
                    hideLabel={isReference(inner) ? true : undefined}
                    owner={props.owner}
                    document={props.document}
                  />
                </div>
                {buttons}
              </li>
            );
          }
          return (
            <ListItem
              key={isObject(value) && typeof value.id === 'string' ? value.id : at}
              title={name}
              isNew={at === added}
              buttons={buttons}
              count={list.length}
              summary={<ItemSummary field={field} value={value} />}
            >
              <FieldEditor
                {...props}
                field={inner}
                value={value}
                onChange={(next) => set(at, next)}
                stored={before(value)}
                hideLabel
              />
            </ListItem>
          );
        })}
      </ul>
      {!props.isDisabled && (
        <div>
          <Button small icon="plus" onPress={add}>
            {t('addItem', { name: one })}
          </Button>
        </div>
      )}
    </FieldGroup>
  );
}

function ListItem({
  title,
  summary,
  isNew,
  buttons,
  children,
  count,
}: {
  title: string;
  summary: React.ReactNode;
  isNew: boolean;
  buttons: React.ReactNode;
  children: React.ReactNode;
  count: number;
}) {
  const [isOpen, setOpen] = useState(isNew || count === 1);
  return (
    <li className="list-object">
      <div className="list-object-head">
        <button type="button" className="list-object-toggle" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <Icon name={isOpen ? 'down' : 'right'} size={14} />
          <b className="truncate" dir="auto">
            {title}
          </b>
          {!isOpen && <span className="row list-object-summary">{summary}</span>}
        </button>
        {buttons}
      </div>
      {isOpen && <div className="list-object-body">{children}</div>}
    </li>
  );
}

const SUMMARY_MAX = 3;
/** Ids say nothing to people. */
const UUID = /^[0-9a-f]{8}-[0-9a-f-]{27}$/i;

/** The first short values of an object, in one line. */
function ItemSummary({ field, value }: { field: Field; value: Json }) {
  const model = useModel();
  if (!isObject(value)) return null;
  const fields = model
    .fieldsOf(field.type, value)
    .filter(
      (inner) =>
        inner.list === 0 &&
        value[inner.name] !== undefined &&
        !['id', 'name', 'key', 'label'].includes(inner.name) &&
        (isMoney(inner) || isReference(inner) || !model.type(inner.type)) &&
        inner.type !== 'CustomFields',
    );
  const rank = (inner: Field) => (isMoney(inner) ? 2 : ['Int', 'Long', 'Float'].includes(inner.type) ? 1 : 0);
  const shown = fields
    .filter((inner) => value[inner.name] !== false && !UUID.test(String(value[inner.name])))
    .sort((a, b) => rank(b) - rank(a))
    .slice(0, SUMMARY_MAX)
    .sort((a, b) => rank(a) - rank(b));
  return (
    <>
      {shown.map((inner) =>
        value[inner.name] === true ? (
          <span key={inner.name}>{humanize(inner.name)}</span>
        ) : (
          <ValueCell key={inner.name} field={inner} value={value[inner.name]} />
        ),
      )}
    </>
  );
}

function MapField(props: FieldEditorProps & { isDisabled: boolean }) {
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

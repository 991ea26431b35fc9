import { useState } from 'react';
import { useModel } from '../api/project';
import { usePreferences } from '../app/preferences';
import { sameElement } from '../model/changes';
import { shortText } from '../model/display';
import { emptyValue } from '../model/draft';
import { isLocalized, isMoney, isReference, labelOf } from '../model/model';
import type { Field, Json } from '../model/types';
import { equal, humanize, isObject, singular } from '../model/values';
import { Button, IconButton } from '../ui/Button';
import { FieldGroup } from '../ui/Field';
import { Icon } from '../ui/Icon';
import { useWords } from '../ui/texts';
import { ValueCell } from '../ui/ValueCell';
import { FieldEditor, type FieldEditorProps } from './FieldEditor';
import { useFormTexts } from './texts';

/** A list: short values one below the other, objects as rows that open. */
export function ListField(props: FieldEditorProps & { isDisabled: boolean }) {
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
    label: field.label && singular(field.label),
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
                    field={{ ...inner, name: `${inner.name} ${at + 1}`, label: inner.label && `${inner.label} ${at + 1}` }}
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
          <ValueCell key={inner.name} field={inner} value={value[inner.name]} plain />
        ),
      )}
    </>
  );
}

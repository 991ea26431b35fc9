import { useRef, useState, type KeyboardEvent } from 'react';
import { useProjectSettings } from '../../api/hooks';
import { usePreferences } from '../../app/preferences';
import { useOpenDocument } from '../../detail/editing';
import { defineTexts } from '../../i18n/texts';
import { shortText } from '../../model/display';
import type { Document, Json, JsonObject, Kind, UpdateAction } from '../../model/types';
import { humanize, isObject, objectsOf } from '../../model/values';
import { Button, IconButton } from '../../ui/Button';
import { Chip, EmptyState } from '../../ui/Feedback';
import { TextField } from '../../ui/Field';
import { useWords } from '../../ui/texts';
import { textIn } from './variants';
import './products.css';

const useTexts = defineTexts(
  {
    none: 'No Attribute has a list of values',
    noneHint: 'An Attribute of the type enum or lenum has values to choose from, for example colours.',
    key: 'Key',
    label: 'Label',
    labelIn: 'Label ({language})',
    labelOf: 'Label of {key}',
    newKey: 'New key for {name}',
    newLabel: 'New label for {name}',
    newLabelIn: 'New label for {name} ({language})',
    add: 'Add value',
    new: 'new',
    removed: 'removed',
    there: 'There is a value with this key.',
    badKey: 'Letters, digits, “_” and “-”',
    count: '{count} values',
    count_one: '1 value',
    ofSet: 'several can be chosen',
  },
  {
    none: 'Kein Attribut hat eine Liste von Werten',
    noneHint: 'Ein Attribut vom Typ enum oder lenum hat Werte zur Auswahl, zum Beispiel Farben.',
    key: 'Schlüssel',
    label: 'Bezeichnung',
    labelIn: 'Bezeichnung ({language})',
    labelOf: 'Bezeichnung von {key}',
    newKey: 'Neuer Schlüssel für {name}',
    newLabel: 'Neue Bezeichnung für {name}',
    newLabelIn: 'Neue Bezeichnung für {name} ({language})',
    add: 'Wert hinzufügen',
    new: 'neu',
    removed: 'entfernt',
    there: 'Es gibt einen Wert mit diesem Schlüssel.',
    badKey: 'Buchstaben, Ziffern, „_“ und „-“',
    count: '{count} Werte',
    count_one: '1 Wert',
    ofSet: 'mehrere wählbar',
  },
);

interface EnumAttribute {
  name: string;
  label: Json | undefined;
  isLocalized: boolean;
  isSet: boolean;
  values: JsonObject[];
}

function enumAttributes(productType: JsonObject): EnumAttribute[] {
  return objectsOf(productType.attributes).flatMap((definition): EnumAttribute[] => {
    const outer = isObject(definition.type) ? definition.type : {};
    const type = outer.name === 'set' && isObject(outer.elementType) ? outer.elementType : outer;
    if (type.name !== 'enum' && type.name !== 'lenum') return [];
    return [
      {
        name: String(definition.name),
        label: definition.label,
        isLocalized: type.name === 'lenum',
        isSet: outer.name === 'set',
        values: objectsOf(type.values),
      },
    ];
  });
}

/** The values of the enums of a Product Type: new ones, other labels, removed ones. Each change is queued as an update action. */
export default function EnumValuesTab({ document }: { kind: Kind; document: Document }) {
  const t = useTexts();
  const attributes = enumAttributes(document);
  if (attributes.length === 0)
    return (
      <EmptyState icon="settings" title={t('none')}>
        {t('noneHint')}
      </EmptyState>
    );
  return (
    <div className="sections">
      {attributes.map((attribute) => (
        <EnumSection key={attribute.name} attribute={attribute} />
      ))}
    </div>
  );
}

/** The values that actions in the queue add to an Attribute or remove. */
function queuedOf(queued: UpdateAction[], name: string) {
  const own = queued.filter((action) => action.attributeName === name);
  return {
    added: own
      .filter((action) => /^add(Plain|Localized)EnumValue$/.test(action.action))
      .map((action) => action.value as JsonObject),
    removed: new Set(own.filter((action) => action.action === 'removeEnumValues').flatMap((action) => action.keys as string[])),
  };
}

function EnumSection({ attribute }: { attribute: EnumAttribute }) {
  const t = useTexts();
  const words = useWords();
  const { language } = usePreferences();
  const { languages } = useProjectSettings();
  const { editing, mayUpdate } = useOpenDocument();
  const { name, isLocalized, values } = attribute;
  const { added, removed } = queuedOf(editing.queued, name);
  const title = shortText(attribute.label, language) ?? humanize(name);
  const columns = isLocalized ? languages : [''];
  const relabel = (value: JsonObject, column: string, text: string) => {
    const label = isLocalized ? { ...(isObject(value.label) ? value.label : {}), [column]: text } : text;
    editing.queue({
      action: isLocalized ? 'changeLocalizedEnumValueLabel' : 'changePlainEnumValueLabel',
      attributeName: name,
      newValue: { key: value.key!, label },
    });
  };
  return (
    <section className="section stack-small">
      <div className="row wrap">
        <h2>{title}</h2>
        <span className="mono muted small">{name}</span>
        <span className="muted small">
          {t('count', { count: values.length })}
          {attribute.isSet && ` · ${t('ofSet')}`}
        </span>
      </div>
      <div className="enum-scroll">
        <table className="enum-values">
          <thead>
            <tr>
              <th scope="col">{t('key')}</th>
              {columns.map((column) => (
                <th key={column} scope="col">
                  {column ? t('labelIn', { language: column }) : t('label')}
                </th>
              ))}
              <td />
            </tr>
          </thead>
          <tbody>
            {[...values, ...added].map((value) => {
              const isNew = added.includes(value);
              const isGone = removed.has(String(value.key));
              return (
                <tr key={String(value.key)} data-gone={isGone || undefined}>
                  <td className="mono">
                    {String(value.key)} {isNew && <Chip look="success">{t('new')}</Chip>}
                    {isGone && <Chip look="danger">{t('removed')}</Chip>}
                  </td>
                  {columns.map((column) => (
                    <td key={column}>
                      <LabelField
                        label={`${t('labelOf', { key: String(value.key) })}${column ? ` (${column})` : ''}`}
                        value={labelIn(value, column)}
                        isDisabled={!mayUpdate || isNew || isGone}
                        onChange={(text) => relabel(value, column, text)}
                      />
                    </td>
                  ))}
                  <td>
                    {mayUpdate && !isNew && !isGone && (
                      <IconButton
                        small
                        icon="trash"
                        label={`${words('remove')}: ${String(value.key)}`}
                        onPress={() => editing.queue({ action: 'removeEnumValues', attributeName: name, keys: [value.key!] })}
                      />
                    )}
                  </td>
                </tr>
              );
            })}
            {mayUpdate && (
              <NewValue
                name={title}
                columns={columns}
                known={[...values, ...added].map((value) => String(value.key))}
                onAdd={(key, labels) =>
                  editing.queue({
                    action: isLocalized ? 'addLocalizedEnumValue' : 'addPlainEnumValue',
                    attributeName: name,
                    value: { key, label: isLocalized ? labels : (labels[''] ?? key) },
                  })
                }
              />
            )}
          </tbody>
        </table>
      </div>
    </section>
  );
}

const labelIn = (value: JsonObject, column: string): string =>
  (isObject(value.label) ? textIn(value.label[column]) : textIn(value.label)) ?? '';

/** A label that is queued when the field is left. */
function LabelField({
  label,
  value,
  isDisabled,
  onChange,
}: {
  label: string;
  value: string;
  isDisabled: boolean;
  onChange: (text: string) => void;
}) {
  const [text, setText] = useState(value);
  const [queued, setQueued] = useState(value);
  const leave = () => {
    if (text.trim() === '' || text === queued) return;
    setQueued(text);
    onChange(text);
  };
  if (isDisabled) return <span dir="auto">{value}</span>;
  return <TextField aria-label={label} value={text} onChange={setText} onBlur={leave} dir="auto" />;
}

/** `Sky blue` → `sky-blue`. */
const keyFrom = (label: string) =>
  label
    .trim()
    .toLowerCase()
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/ß/g, 'ss')
    .replace(/[^a-z0-9_]+/g, '-')
    .replace(/^-|-$/g, '');

function NewValue({
  name,
  columns,
  known,
  onAdd,
}: {
  name: string;
  columns: string[];
  known: string[];
  onAdd: (key: string, labels: JsonObject) => void;
}) {
  const t = useTexts();
  const [given, setKey] = useState<string>();
  const [labels, setLabels] = useState<Record<string, string>>({});
  const first = useRef<HTMLTableRowElement>(null);
  const key = given ?? keyFrom(columns.map((column) => labels[column]).find(Boolean) ?? '');
  const error = known.includes(key) ? t('there') : /^[\w-]*$/.test(key) ? undefined : t('badKey');
  const filled = Object.fromEntries(Object.entries(labels).filter(([, text]) => text.trim() !== ''));
  const isReady = key !== '' && !error && Object.keys(filled).length > 0;
  const add = () => {
    if (!isReady) return;
    onAdd(key, filled);
    setKey(undefined);
    setLabels({});
    first.current?.querySelectorAll('input')[1]?.focus();
  };
  const press = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.target instanceof HTMLInputElement)) return;
    event.preventDefault();
    add();
  };
  return (
    <tr ref={first} onKeyDown={press}>
      <td>
        <TextField
          mono
          aria-label={t('newKey', { name })}
          placeholder={t('key')}
          value={key}
          error={key === '' ? undefined : error}
          onChange={setKey}
        />
      </td>
      {columns.map((column) => (
        <td key={column}>
          <TextField
            aria-label={column ? t('newLabelIn', { name, language: column }) : t('newLabel', { name })}
            placeholder={column ? t('labelIn', { language: column }) : t('label')}
            value={labels[column] ?? ''}
            onChange={(text) => setLabels((now) => ({ ...now, [column]: text }))}
            dir="auto"
          />
        </td>
      ))}
      <td>
        <Button icon="plus" isDisabled={!isReady} onPress={add}>
          {t('add')}
        </Button>
      </td>
    </tr>
  );
}

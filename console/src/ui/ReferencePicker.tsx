import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Button as AriaButton, ComboBox, Input, Label, ListBox, ListBoxItem, Popover } from 'react-aria-components';
import { Link } from 'wouter';
import { useProjectSettings, type Page } from '../api/hooks';
import { useModel, useProject } from '../api/project';
import { useTarget } from '../api/references';
import { lookupPredicate } from '../app/find';
import { kindName } from '../app/navigation';
import { paths } from '../app/paths';
import { usePreferences } from '../app/preferences';
import { readStored, writeStored } from '../app/store';
import { findByText, searchFields } from '../app/text-search';
import { subtitleOf, titleOf } from '../model/display';
import type { Document, Json, JsonObject, Kind } from '../model/types';
import { isObject, valueAt } from '../model/values';
import { IconButton } from './Button';
import { LabelText, Select, type FieldFrameProps } from './Field';
import { Icon } from './Icon';
import { useWords } from './texts';

const RECENT_MAX = 5;
const OPTIONS_MAX = 20;
/** Kinds without a search are few: so many of their documents are looked through. */
const SCANNED_MAX = 500;
const PAUSE_MS = 200;

/** Documents of a kind whose names begin like a text, or that it names exactly. */
export function useOptions(kind: Kind | undefined, text: string, filter?: string) {
  const model = useModel();
  const { client } = useProject();
  const { languages } = useProjectSettings();
  return useQuery({
    queryKey: [client.project, kind?.name, 'options', text, languages, filter],
    enabled: !!kind,
    staleTime: 10_000,
    queryFn: async ({ signal }) => {
      if (!kind) return [];
      const read = async (where: string | undefined, limit: number) =>
        (
          await client.request<Page>(kind.path, {
            service: kind.service,
            signal,
            query: { where: filter && where ? `(${filter}) and (${where})` : (filter ?? where), limit, withTotal: false },
          })
        ).results;
      const wanted = text.trim();
      if (!wanted) return read(undefined, OPTIONS_MAX);
      const where = lookupPredicate(model, kind, wanted, languages);
      const exact = where ? await read(where, OPTIONS_MAX) : [];
      if (exact.length > 0) return exact;
      const found =
        searchFields(kind).length > 0
          ? await findByText(client, model, kind, wanted, languages, signal)
          : (await read(undefined, SCANNED_MAX)).filter((document) => namesOf(kind, document).includes(wanted.toLowerCase()));
      return found.slice(0, OPTIONS_MAX);
    },
  });
}

/** All names of a document, in lower case. */
const namesOf = (kind: Kind, document: Document) =>
  JSON.stringify([...kind.display, 'key'].map((path) => valueAt(document, path) ?? null)).toLowerCase();

export interface ReferencePickerProps extends FieldFrameProps {
  /** The kinds that may be chosen. */
  kinds: Kind[];
  value: Json | undefined;
  onChange: (value: JsonObject | undefined) => void;
  isDisabled?: boolean;
  /** Whether the reference names its target by key. */
  byKey?: boolean;
  /** A predicate that limits the choice. */
  filter?: string;
}

/** Chooses the target of a reference by name, key, SKU or number. */
export function ReferencePicker({
  kinds,
  value,
  onChange,
  label,
  hint,
  error,
  required,
  changed,
  isDisabled,
  byKey,
  filter,
}: ReferencePickerProps) {
  const words = useWords();
  const { client, key: project } = useProject();
  const cache = useQueryClient();
  const { language } = usePreferences();
  const model = useModel();
  const reference = isObject(value) ? value : undefined;
  const [chosen, setChosen] = useState<string>();
  const typeId = typeof reference?.typeId === 'string' ? reference.typeId : (chosen ?? kinds[0]?.typeId);
  const kind = (typeId ? model.kindOfType(typeId) : undefined) ?? kinds[0];
  const target = useTarget(kind, { id: stringOf(reference?.id), key: stringOf(reference?.key) });
  const title = reference
    ? ((kind && target.data && titleOf(kind, target.data, language)) ?? stringOf(reference.key) ?? stringOf(reference.id) ?? '')
    : '';
  const [text, setText] = useState(title);
  const [search, setSearch] = useState('');
  useEffect(() => setText(title), [title]);
  useEffect(() => {
    const timer = setTimeout(() => setSearch(text === title ? '' : text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text, title]);
  const options = useOptions(kind, search, filter);
  const recent = readStored<string[]>(`recent.${project}.${kind?.name ?? ''}`, []);
  const sorted = [...(options.data ?? [])].sort((a, b) => rank(recent, a) - rank(recent, b));
  const choose = (document: Document | undefined) => {
    if (!document || !kind) return;
    writeStored(
      `recent.${project}.${kind.name}`,
      [document.id, ...recent.filter((id) => id !== document.id)].slice(0, RECENT_MAX),
    );
    const keyField = kind.keyField ?? 'key';
    const key = stringOf(document[keyField]);
    // The name is known at once: a text that changes later would open the menu again.
    const [field, name] = byKey && key ? [keyField, key] : ['id', document.id];
    cache.setQueryData([client.project, kind.name, 'target', field, name], document);
    setText(titleOf(kind, document, language));
    onChange(byKey && key ? { typeId: kind.typeId, key } : { typeId: kind.typeId, id: document.id });
  };
  return (
    <ComboBox
      className="field"
      items={sorted}
      inputValue={text}
      onInputChange={setText}
      menuTrigger="focus"
      allowsEmptyCollection
      isDisabled={isDisabled}
      isInvalid={!!error}
      validationBehavior="aria"
      selectedKey={target.data?.id ?? null}
      defaultFilter={() => true}
      data-changed={changed || undefined}
      aria-label={label ? undefined : words('choose')}
      onSelectionChange={(id) => choose(sorted.find((document) => document.id === id))}
      onBlur={() => {
        if (text.trim() === '' && reference && !required) onChange(undefined);
        else setText(title);
      }}
    >
      {label && (
        <Label className="field-label">
          <LabelText label={label} required={required} />
        </Label>
      )}
      <div className="row">
        {kinds.length > 1 && (
          <Select
            aria-label={words('choose')}
            value={typeId ?? null}
            options={kinds.map((one) => ({ id: one.typeId, label: kindName(one) }))}
            onChange={(id) => {
              setChosen(id);
              onChange(undefined);
            }}
          />
        )}
        <div className="control picker-control grow">
          <Input className="control-input" placeholder={words('typeToSearch')} dir="auto" />
          {reference && !required && (
            <IconButton small icon="close" label={words('clear')} slot={null} onPress={() => onChange(undefined)} />
          )}
          {reference && kind && !kind.hidden && (
            <Link
              className="button button-plain button-small button-icon"
              href={paths.document(project, kind, stringOf(reference.id) ?? `key=${stringOf(reference.key)}`)}
              aria-label={`${words('open')} ${title}`}
            >
              <Icon name="external" size={14} />
            </Link>
          )}
          <AriaButton className="button button-plain button-small button-icon" aria-label={words('choose')}>
            <Icon name="down" size={14} />
          </AriaButton>
        </div>
      </div>
      {hint && <p className="field-hint">{hint}</p>}
      {error && <p className="field-error">{error}</p>}
      <Popover className="popover" offset={4}>
        <ListBox<Document>
          className="menu"
          renderEmptyState={() => (
            <div className="menu-empty">{options.isFetching ? <span className="spinner" /> : words('noMatch')}</div>
          )}
        >
          {(document) => (
            <ListBoxItem
              id={document.id}
              className="menu-item"
              textValue={kind ? titleOf(kind, document, language) : document.id}
            >
              <span className="picker-option">
                <span className="truncate" dir="auto">
                  {kind && titleOf(kind, document, language)}
                </span>
              </span>
              <span className="muted small push truncate">{kind && subtitleOf(kind, document, language)}</span>
              {recent.includes(document.id) && <Icon name="clock" size={13} />}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </ComboBox>
  );
}

const stringOf = (value: Json | undefined) => (typeof value === 'string' ? value : undefined);
const rank = (recent: string[], document: Document) => {
  const at = recent.indexOf(document.id);
  return at < 0 ? RECENT_MAX : at;
};

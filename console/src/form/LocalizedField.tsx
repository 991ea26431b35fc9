import { useId, useMemo, useState, type KeyboardEvent } from 'react';
import { useProjectSettings } from '../api/hooks';
import { usePreferences } from '../app/preferences';
import { createStore, readStored, useStore, writeStored } from '../app/store';
import type { Json, JsonObject } from '../model/types';
import { isObject } from '../model/values';
import { IconButton } from '../ui/Button';
import { FieldGroup } from '../ui/Field';
import { Menu } from '../ui/Overlay';
import { useWords } from '../ui/texts';
import type { ValueProps } from './ScalarField';

/** Whether localized texts show all languages at once. */
const sideBySide = createStore<boolean>(readStored('side-by-side', false));

const LONG_TEXT = 60;

/** A text in several languages: one at a time with tabs, or side by side. */
export function LocalizedField(props: ValueProps) {
  const words = useWords();
  const { languages: ofProject } = useProjectSettings();
  const { language: ofOperator } = usePreferences();
  const all = useStore(sideBySide);
  const value = useMemo<JsonObject>(() => (isObject(props.value) ? props.value : {}), [props.value]);
  const languages = useMemo(() => [...new Set([...ofProject, ...Object.keys(value)])], [ofProject, value]);
  const [chosen, setChosen] = useState<string>();
  const current =
    chosen && languages.includes(chosen)
      ? chosen
      : (languages.find((language) => language.startsWith(ofOperator)) ?? languages[0] ?? 'en');
  const set = (language: string, text: string) => {
    const next: JsonObject = { ...value };
    if (text === '') delete next[language];
    else next[language] = text;
    props.onChange(Object.keys(next).length === 0 && !props.required ? undefined : next);
  };
  const missing = languages.filter((language) => !value[language]);
  const long =
    Object.values(value).some((text) => typeof text === 'string' && (text.length > LONG_TEXT || text.includes('\n'))) ||
    /description|text/i.test(props.field.name);
  const action = (
    <span className="row">
      {Object.keys(value).length > 0 && missing.length > 0 && (
        <span className="small language-missing">{words('languagesMissing', { count: missing.length })}</span>
      )}
      {!value[current] && Object.keys(value).length > 0 && !all && !props.isDisabled && (
        <Menu
          label={words('copy')}
          trigger={<IconButton small icon="copy" label={words('copy')} />}
          entries={Object.keys(value).map((from) => ({
            id: from,
            label: words('copyFrom', { language: from }),
            onAction: () => set(current, String(value[from])),
          }))}
        />
      )}
      {languages.length > 1 && !all && (
        <LanguageTabs languages={languages} value={value} current={current} onChoose={setChosen} label={labelText(props)} />
      )}
      {languages.length > 1 && (
        <IconButton
          small
          icon="columns"
          label={all ? words('oneByOne') : words('sideBySide')}
          aria-pressed={all}
          onPress={() => {
            sideBySide.set(!all);
            writeStored('side-by-side', !all);
          }}
        />
      )}
    </span>
  );
  return (
    <FieldGroup
      label={props.label}
      hint={props.hint}
      error={props.error}
      required={props.required}
      changed={props.changed}
      action={action}
    >
      {all ? (
        <div className="localized-columns">
          {languages.map((language) => (
            <label key={language} className="localized-column">
              <span className="small muted">
                {language}
                {!value[language] && Object.keys(value).length > 0 && ` · ${words('missing')}`}
              </span>
              <span className="localized">
                <TextInput
                  long={long}
                  language={language}
                  value={value[language]}
                  onChange={(text) => set(language, text)}
                  isDisabled={props.isDisabled}
                  label={`${labelText(props)} (${language})`}
                />
              </span>
            </label>
          ))}
        </div>
      ) : (
        <div className="localized">
          <TextInput
            key={current}
            long={long}
            language={current}
            value={value[current]}
            onChange={(text) => set(current, text)}
            isDisabled={props.isDisabled}
            label={`${labelText(props)} (${current})`}
          />
        </div>
      )}
    </FieldGroup>
  );
}

const labelText = (props: ValueProps) => (typeof props.label === 'string' ? props.label : props.field.name);

function TextInput({
  long,
  language,
  value,
  onChange,
  isDisabled,
  label,
}: {
  long: boolean;
  language: string;
  value: Json | undefined;
  onChange: (text: string) => void;
  isDisabled?: boolean;
  label: string;
}) {
  const text = typeof value === 'string' ? value : '';
  return long ? (
    <textarea
      rows={4}
      lang={language}
      dir="auto"
      value={text}
      readOnly={isDisabled}
      aria-label={label}
      onChange={(event) => onChange(event.target.value)}
    />
  ) : (
    <input
      type="text"
      lang={language}
      dir="auto"
      value={text}
      readOnly={isDisabled}
      aria-label={label}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

function LanguageTabs({
  languages,
  value,
  current,
  onChoose,
  label,
}: {
  languages: string[];
  value: JsonObject;
  current: string;
  onChoose: (language: string) => void;
  label: string;
}) {
  const words = useWords();
  const id = useId();
  const move = (event: KeyboardEvent) => {
    const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (by === 0) return;
    const next = languages[(languages.indexOf(current) + by + languages.length) % languages.length]!;
    onChoose(next);
    document.getElementById(`${id}-${next}`)?.focus();
  };
  return (
    <div className="localized-tabs" role="tablist" aria-label={`${label}: ${words('language')}`} onKeyDown={move}>
      {languages.map((language) => (
        <button
          key={language}
          id={`${id}-${language}`}
          type="button"
          role="tab"
          className="localized-tab"
          aria-selected={language === current}
          tabIndex={language === current ? 0 : -1}
          data-missing={(!value[language] && Object.keys(value).length > 0) || undefined}
          onClick={() => onChoose(language)}
          title={value[language] ? undefined : words('missing')}
        >
          {language}
        </button>
      ))}
    </div>
  );
}

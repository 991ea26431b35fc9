import { useMemo, useState } from 'react';
import { ComboBox, Input, ListBox, ListBoxItem, Popover, Button as AriaButton } from 'react-aria-components';
import { usePreferences } from '../../app/preferences';
import { defineTexts } from '../../i18n/texts';
import { IconButton } from '../../ui/Button';
import { FieldGroup } from '../../ui/Field';
import { Icon } from '../../ui/Icon';
import { useWords } from '../../ui/texts';
import { nameOfCode, type CodeType } from '../../ui/values';
import { CODES } from './codes';

const useTexts = defineTexts(
  { remove: 'Remove {name}', add: '{name}: add by name or code', first: 'Use {name} first', isFirst: 'default' },
  { remove: '{name} entfernen', add: '{name}: nach Name oder Code hinzufügen', first: '{name} zuerst', isFirst: 'Standard' },
);

interface CodePickerProps {
  type: CodeType;
  label: string;
  hint?: string;
  value: string[];
  stored?: string[];
  onChange: (value: string[]) => void;
  isDisabled?: boolean;
  required?: boolean;
  /** The first one is special: it is marked, and another one can be put first. */
  ordered?: boolean;
}

/** A set of countries, currencies or languages: chosen by name, shown by name and code. */
export function CodePicker({ type, label, hint, value, stored, onChange, isDisabled, required, ordered }: CodePickerProps) {
  const t = useTexts();
  const { language } = usePreferences();
  const changed = stored && (stored.length !== value.length || stored.some((code, at) => code !== value[at]));
  const remove = (code: string) => onChange(value.filter((one) => one !== code));
  const putFirst = (code: string) => onChange([code, ...value.filter((one) => one !== code)]);
  return (
    <FieldGroup label={label} hint={hint} required={required} changed={changed}>
      <ul className="codes">
        {value.map((code, at) => {
          const name = nameOfCode(type, code, language);
          return (
            <li key={code} className="code-chip" data-new={(stored && !stored.includes(code)) || undefined}>
              <span className="truncate">{name}</span>
              <span className="code-chip-code">{code}</span>
              {ordered && at === 0 && value.length > 1 && <span className="code-chip-code">· {t('isFirst')}</span>}
              {!isDisabled && ordered && at > 0 && (
                <IconButton small icon="up" label={t('first', { name })} onPress={() => putFirst(code)} />
              )}
              {!isDisabled && (
                <IconButton
                  small
                  icon="close"
                  label={t('remove', { name })}
                  isDisabled={required && value.length === 1}
                  onPress={() => remove(code)}
                />
              )}
            </li>
          );
        })}
      </ul>
      {!isDisabled && (
        <CodeInput
          type={type}
          label={t('add', { name: label })}
          taken={value}
          onAdd={(code) => onChange([...value.filter((one) => one !== code), code])}
        />
      )}
    </FieldGroup>
  );
}

const OPTIONS_MAX = 60;
const LANGUAGE_TAG = /^[a-z]{2,3}(-[A-Za-z]{4})?(-([A-Z]{2}|\d{3}))?$/;

/** A field that finds codes by name. It is empty again after each choice. */
export function CodeInput({
  type,
  label,
  taken,
  onAdd,
}: {
  type: CodeType;
  label: string;
  taken: string[];
  onAdd: (code: string) => void;
}) {
  const words = useWords();
  const { language } = usePreferences();
  const [text, setText] = useState('');
  // After each choice the picker is reset: closed, empty and with the focus.
  const [round, setRound] = useState(0);
  const all = useMemo(
    () =>
      CODES[type]
        .map((id) => ({ id, name: nameOfCode(type, id, language) }))
        .sort((a, b) => a.name.localeCompare(b.name, language)),
    [type, language],
  );
  const wanted = text.trim().toLowerCase();
  const options = all.filter(
    ({ id, name }) => !taken.includes(id) && (id.toLowerCase().startsWith(wanted) || name.toLowerCase().includes(wanted)),
  );
  const typed = text.trim();
  if (type === 'language' && LANGUAGE_TAG.test(typed) && !taken.includes(typed) && !options.some(({ id }) => id === typed))
    options.unshift({ id: typed, name: nameOfCode(type, typed, language) });
  options.sort((a, b) => Number(b.id.toLowerCase() === wanted) - Number(a.id.toLowerCase() === wanted));
  return (
    <ComboBox
      key={round}
      autoFocus={round > 0}
      className="field code-input"
      aria-label={label}
      items={options.slice(0, OPTIONS_MAX)}
      inputValue={text}
      onInputChange={setText}
      menuTrigger="input"
      allowsEmptyCollection
      selectedKey={null}
      defaultFilter={() => true}
      onSelectionChange={(id) => {
        if (id === null) return;
        onAdd(String(id));
        setText('');
        setRound(round + 1);
      }}
      onBlur={() => setText('')}
    >
      <div className="control picker-control">
        <Input className="control-input" placeholder={`${words('add')} …`} />
        <AriaButton className="button button-plain button-small button-icon" aria-label={words('choose')}>
          <Icon name="down" size={14} />
        </AriaButton>
      </div>
      <Popover className="popover" offset={4}>
        <ListBox<{ id: string; name: string }>
          className="menu"
          renderEmptyState={() => <div className="menu-empty">{words('noMatch')}</div>}
        >
          {(option) => (
            <ListBoxItem id={option.id} className="menu-item" textValue={option.name}>
              <span className="truncate">{option.name}</span>
              <span className="muted small push">{option.id}</span>
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </ComboBox>
  );
}

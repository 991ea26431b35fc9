import { useState } from 'react';
import { Dialog, DialogTrigger, Popover } from 'react-aria-components';
import type { ColumnChoice } from '../model/columns';
import { humanize } from '../model/values';
import { Button, IconButton } from '../ui/Button';
import { Checkbox, TextField } from '../ui/Field';
import { useWords } from '../ui/texts';
import { useListTexts } from './texts';

/** Chooses and orders the columns of a list. */
export function ColumnChooser({
  choices,
  columns,
  onChange,
  onReset,
}: {
  choices: ColumnChoice[];
  columns: string[];
  onChange: (columns: string[]) => void;
  onReset: () => void;
}) {
  const t = useListTexts();
  const words = useWords();
  const [text, setText] = useState('');
  const shown = choices.filter(
    (choice) =>
      !columns.includes(choice.path) && `${choice.path} ${pathLabel(choice.path)}`.toLowerCase().includes(text.toLowerCase()),
  );
  const move = (at: number, by: number) => {
    const next = [...columns];
    const [path] = next.splice(at, 1);
    next.splice(at + by, 0, path!);
    onChange(next);
  };
  return (
    <DialogTrigger>
      <Button icon="columns" compact>
        {t('columns')}
      </Button>
      <Popover className="popover column-popover" offset={4} placement="bottom end">
        <Dialog aria-label={t('columns')} className="overlay">
          <div className="column-list">
            {columns.map((path, at) => (
              <div key={path} className="column-row">
                <Checkbox
                  isSelected
                  onChange={() => onChange(columns.filter((one) => one !== path))}
                  isDisabled={columns.length === 1}
                >
                  {pathLabel(path)}
                </Checkbox>
                <span className="row push">
                  <IconButton
                    small
                    icon="up"
                    label={`${words('moveUp')}: ${pathLabel(path)}`}
                    isDisabled={at === 0}
                    onPress={() => move(at, -1)}
                  />
                  <IconButton
                    small
                    icon="down"
                    label={`${words('moveDown')}: ${pathLabel(path)}`}
                    isDisabled={at === columns.length - 1}
                    onPress={() => move(at, 1)}
                  />
                </span>
              </div>
            ))}
            <TextField aria-label={t('findColumn')} placeholder={t('findColumn')} value={text} onChange={setText} />
            {shown.map((choice) => (
              <div key={choice.path} className="column-row">
                <Checkbox isSelected={false} onChange={() => onChange([...columns, choice.path])}>
                  {pathLabel(choice.path)}
                </Checkbox>
                <span className="muted small push truncate">{choice.field.type}</span>
              </div>
            ))}
          </div>
          <footer className="overlay-foot">
            <Button small onPress={onReset}>
              {t('reset')}
            </Button>
          </footer>
        </Dialog>
      </Popover>
    </DialogTrigger>
  );
}

/** `masterData.current.name` → `Name`; with the object before it if another of the paths ends the same. */
export function pathLabel(path: string, others: string[] = []): string {
  const names = path.split('.');
  const last = names.at(-1) ?? path;
  const isUnique = others.every((other) => other === path || other.split('.').at(-1) !== last);
  return names.length === 1 || (others.length > 0 && isUnique) ? humanize(last) : names.slice(-2).map(humanize).join(' · ');
}

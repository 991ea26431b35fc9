import { useEffect, useState } from 'react';
import { useKind } from '../../api/hooks';
import { usePreferences } from '../../app/preferences';
import { subtitleOf, titleOf } from '../../model/display';
import { Button } from '../../ui/Button';
import { Skeleton } from '../../ui/Feedback';
import { Checkbox, TextField } from '../../ui/Field';
import { Panel } from '../../ui/Overlay';
import { useOptions } from '../../ui/ReferencePicker';
import { useWords } from '../../ui/texts';
import type { Mode } from './assignments';
import { ProductImage } from './ProductImage';
import { useAssortmentTexts } from './texts';

const PAUSE_MS = 200;

/** Chooses Products, as many as one likes, over several searches. */
export default function AddProductsPanel({
  mode,
  known,
  onAdd,
  onClose,
}: {
  mode: Mode;
  /** The Products that are in the list already. */
  known: ReadonlySet<string>;
  onAdd: (ids: string[]) => void;
  onClose: () => void;
}) {
  const t = useAssortmentTexts();
  const words = useWords();
  const { language } = usePreferences();
  const { kind } = useKind('Product');
  const [text, setText] = useState('');
  const [search, setSearch] = useState('');
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  useEffect(() => {
    const timer = setTimeout(() => setSearch(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const options = useOptions(kind, search);
  const toggle = (id: string, on: boolean) => {
    const next = new Set(chosen);
    if (on) next.add(id);
    else next.delete(id);
    setChosen(next);
  };
  const isList = mode === 'Individual';
  const add = () => {
    onAdd([...chosen]);
    onClose();
  };
  return (
    <Panel
      title={t(isList ? 'add' : 'exclude')}
      isOpen
      onClose={onClose}
      footer={
        <>
          <Button onPress={onClose}>{words('cancel')}</Button>
          <Button look="primary" isDisabled={chosen.size === 0} onPress={add}>
            {t(isList ? 'addCount' : 'excludeCount', { count: chosen.size })}
          </Button>
        </>
      }
    >
      <div className="stack">
        <TextField
          aria-label={t('find')}
          placeholder={words('typeToSearch')}
          type="search"
          autoFocus
          value={text}
          onChange={setText}
          hint={t('addHint')}
        />
        {!options.data || !kind ? (
          <Skeleton lines={6} />
        ) : options.data.length === 0 ? (
          <p className="muted">{t('noneFound')}</p>
        ) : (
          <ul className="choice-rows" aria-label={t('found')}>
            {options.data.map((product) => (
              <li key={product.id}>
                <Checkbox
                  isSelected={known.has(product.id) || chosen.has(product.id)}
                  isDisabled={known.has(product.id)}
                  onChange={(on) => toggle(product.id, on)}
                >
                  <span className="row grow">
                    <ProductImage product={product} />
                    <span className="truncate" dir="auto">
                      {titleOf(kind, product, language)}
                    </span>
                    <span className="muted small push truncate">
                      {known.has(product.id) ? t('there') : subtitleOf(kind, product, language)}
                    </span>
                  </span>
                </Checkbox>
              </li>
            ))}
          </ul>
        )}
      </div>
    </Panel>
  );
}

import { useState } from 'react';
import { useProject } from '../api/project';
import type { Kind } from '../model/types';
import { Button, IconButton } from '../ui/Button';
import { TextField } from '../ui/Field';
import { Dialog } from '../ui/Overlay';
import { useWords } from '../ui/texts';
import { queryOf, readViews, writeViews, type ListState, type SavedView } from './list-state';
import { useListTexts } from './texts';

/** Saved filters, sort orders and columns of a kind, as tabs. They are kept in this browser. */
export function ViewTabs({ kind, state, onOpen }: { kind: Kind; state: ListState; onOpen: (query: string) => void }) {
  const t = useListTexts();
  const words = useWords();
  const { key } = useProject();
  const [views, setViews] = useState<SavedView[]>(() => readViews(key, kind));
  const [name, setName] = useState<string>();
  const current = queryOf({ ...state, page: 0 });
  const change = (next: SavedView[]) => {
    setViews(next);
    writeViews(key, kind, next);
  };
  const save = () => {
    const view = { name: name!.trim(), state: { ...state, page: 0 } };
    change([...views.filter((one) => one.name !== view.name), view]);
    setName(undefined);
  };
  const isSaved = views.some((view) => queryOf(view.state) === current);
  if (views.length === 0 && current === '') return null;
  return (
    <div className="view-tabs">
      <button type="button" className="view-tab" aria-pressed={current === ''} onClick={() => onOpen('')}>
        {t('all')}
      </button>
      {views.map((view) => {
        const query = queryOf(view.state);
        return (
          <span key={view.name} className="row view-entry">
            <button type="button" className="view-tab" aria-pressed={query === current} onClick={() => onOpen(query)}>
              {view.name}
            </button>
            {query === current && (
              <IconButton
                small
                icon="close"
                label={`${t('deleteView')}: ${view.name}`}
                onPress={() => change(views.filter((one) => one !== view))}
              />
            )}
          </span>
        );
      })}
      {current !== '' && !isSaved && (
        <Button small look="plain" icon="star" onPress={() => setName('')}>
          {t('saveView')}
        </Button>
      )}
      <Dialog
        title={t('saveView')}
        isOpen={name !== undefined}
        onClose={() => setName(undefined)}
        footer={
          <>
            <Button onPress={() => setName(undefined)}>{words('cancel')}</Button>
            <Button look="primary" isDisabled={!name?.trim()} onPress={save}>
              {words('save')}
            </Button>
          </>
        }
      >
        <form
          onSubmit={(event) => {
            event.preventDefault();
            if (name?.trim()) save();
          }}
        >
          <TextField label={t('viewName')} hint={t('saveViewHint')} value={name ?? ''} onChange={setName} autoFocus />
        </form>
      </Dialog>
    </div>
  );
}

import { useState } from 'react';
import { usePreferences } from '../../app/preferences';
import { useOpenDocument } from '../../detail/editing';
import type { Document, Json } from '../../model/types';
import { equal } from '../../model/values';
import { Checkbox, FieldGroup, Select, Switch } from '../../ui/Field';
import { Banner } from '../../ui/Feedback';
import { followersOf, stateName } from './states';
import { useStateTexts } from './state-texts';

/** Edits the States that may follow the open one, and whether a workflow begins with it. */
export function TransitionsField({ states }: { states: Document[] }) {
  const t = useStateTexts();
  const { language } = usePreferences();
  const { editing, mayUpdate } = useOpenDocument();
  const { edited, document } = editing;
  const [isChosen, setChosen] = useState(followersOf(document) !== undefined);
  const followers = followersOf(edited) ?? [];
  const isFinal = followersOf(document)?.length === 0;
  const set = (ids: string[]) => {
    const stored = followersOf(document) ?? [];
    const ordered = [...stored.filter((id) => ids.includes(id)), ...ids.filter((id) => !stored.includes(id))];
    const list = ordered.map((id): Json => ({ typeId: 'state', id }));
    editing.setField('transitions', list.length > 0 ? list : isFinal ? [] : undefined);
  };
  const toggle = (id: string, on: boolean) => set(on ? [...followers, id] : followers.filter((one) => one !== id));
  const changeMode = (mode: string) => {
    setChosen(mode === 'some');
    if (mode === 'any') editing.setField('transitions', undefined);
    else if (followersOf(document)) editing.setField('transitions', document.transitions);
  };
  const others = states.filter((state) => state.type === document.type);
  return (
    <div className="stack">
      <Switch
        isSelected={edited.initial === true}
        onChange={(initial) => editing.setField('initial', initial)}
        isDisabled={!mayUpdate}
      >
        {t('isInitial')}
      </Switch>
      <Select
        label={t('followers')}
        value={isChosen ? 'some' : 'any'}
        options={[
          { id: 'any', label: t('followersAny') },
          { id: 'some', label: t('followersSome') },
        ]}
        onChange={changeMode}
        isDisabled={!mayUpdate}
        changed={!equal(followersOf(edited), followersOf(document))}
      />
      {isFinal && <Banner>{t('isFinal')}</Banner>}
      {isChosen && (
        <FieldGroup label={t('states')} hint={followers.length === 0 && !isFinal ? t('noneLeft') : undefined}>
          <ul className="followers">
            {others.map((state) => (
              <li key={state.id}>
                <Checkbox
                  isSelected={followers.includes(state.id)}
                  onChange={(on) => toggle(state.id, on)}
                  isDisabled={!mayUpdate}
                >
                  <span className="truncate" dir="auto">
                    {stateName(state, language)}
                  </span>
                  {state.id === document.id && <span className="muted small">({t('itself')})</span>}
                </Checkbox>
              </li>
            ))}
          </ul>
        </FieldGroup>
      )}
    </div>
  );
}

import { useState } from 'react';
import { useList, useProjectSettings } from '../../api/hooks';
import { usePreferences } from '../../app/preferences';
import { useOpenDocument } from '../../detail/editing';
import type { Document, JsonObject, Kind } from '../../model/types';
import { objectsOf } from '../../model/values';
import { Button, IconButton } from '../../ui/Button';
import { Select, TextField, FieldGroup } from '../../ui/Field';
import { Banner } from '../../ui/Feedback';
import { nameOfCode } from '../../ui/values';
import { CodePicker } from './CodePicker';
import { CODES } from './codes';
import { useRateTexts } from './rate-texts';
import './settings.css';

const ZONES_MAX = 500;

/** The countries and states of a Zone. */
export default function ZoneLocations({ kind, document }: { kind: Kind; document: Document }) {
  const t = useRateTexts();
  const { language } = usePreferences();
  const { editing, mayUpdate } = useOpenDocument();
  const { countries: ofProject } = useProjectSettings();
  const { data } = useList(kind, { limit: ZONES_MAX, withTotal: false });
  const locations = objectsOf(editing.edited.locations);
  const whole = locations.filter((one) => one.state === undefined).map((one) => String(one.country));
  const stored = objectsOf(editing.document.locations)
    .filter((one) => one.state === undefined)
    .map((one) => String(one.country));
  const states = locations.filter((one) => one.state !== undefined);
  const set = (next: JsonObject[]) => editing.setField('locations', next);
  const setCountries = (codes: string[]) =>
    set([...locations.filter((one) => one.state !== undefined || codes.includes(String(one.country))), ...added(codes, whole)]);
  const zones = (data?.results ?? []).filter((zone) => zone.id !== document.id);
  const taken = locations.flatMap((one) => {
    const zone = zones.find((other) =>
      objectsOf(other.locations).some((place) => place.country === one.country && place.state === one.state),
    );
    return zone ? [{ name: placeName(one, language), zone: String(zone.name) }] : [];
  });
  const missing = ofProject.filter(
    (code) =>
      !whole.includes(code) &&
      !zones.some((zone) => objectsOf(zone.locations).some((one) => one.country === code && one.state === undefined)),
  );
  return (
    <div className="stack-large">
      {taken.map((one) => (
        <Banner key={one.name} look="warning">
          {t('takenBy', one)}
        </Banner>
      ))}
      <div className="stack-small">
        <CodePicker
          type="country"
          label={t('countries')}
          hint={t('countriesHint')}
          value={whole}
          stored={stored}
          onChange={setCountries}
          isDisabled={!mayUpdate}
        />
        {mayUpdate && missing.length > 0 && (
          <div>
            <Button small icon="plus" onPress={() => setCountries([...whole, ...missing])}>
              {t('addAll')}
            </Button>
          </div>
        )}
      </div>
      <FieldGroup label={t('states')} hint={t('statesHint')}>
        <ul className="codes">
          {states.map((one) => (
            <li key={placeName(one, language)} className="code-chip">
              <span className="truncate">{placeName(one, language)}</span>
              {mayUpdate && (
                <IconButton
                  small
                  icon="close"
                  label={t('removeState', { name: placeName(one, language) })}
                  onPress={() => set(locations.filter((other) => other !== one))}
                />
              )}
            </li>
          ))}
        </ul>
        {mayUpdate && <StateForm preferred={ofProject} onAdd={(place) => set([...locations, place])} />}
      </FieldGroup>
    </div>
  );
}

function StateForm({ preferred, onAdd }: { preferred: string[]; onAdd: (place: JsonObject) => void }) {
  const t = useRateTexts();
  const { language } = usePreferences();
  const [country, setCountry] = useState(preferred.includes('US') ? 'US' : (preferred[0] ?? 'US'));
  const [state, setState] = useState('');
  const add = () => {
    if (!state.trim()) return;
    onAdd({ country, state: state.trim() });
    setState('');
  };
  const codes = [...preferred, ...CODES.country.filter((code) => !preferred.includes(code))];
  return (
    <form
      className="row wrap state-form"
      onSubmit={(event) => {
        event.preventDefault();
        add();
      }}
    >
      <Select
        aria-label={t('country')}
        value={country}
        options={codes.map((id) => ({ id, label: nameOfCode('country', id, language), hint: id }))}
        onChange={setCountry}
      />
      <TextField aria-label={t('state')} placeholder={t('state')} value={state} onChange={setState} />
      <Button icon="plus" type="submit" isDisabled={!state.trim()}>
        {t('addState')}
      </Button>
    </form>
  );
}

const added = (codes: string[], before: string[]): JsonObject[] =>
  codes.filter((code) => !before.includes(code)).map((country) => ({ country }));
const placeName = (place: JsonObject, language: 'en' | 'de') =>
  [nameOfCode('country', String(place.country), language), place.state].filter(Boolean).join(', ');

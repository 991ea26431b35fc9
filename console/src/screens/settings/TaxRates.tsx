import { useState } from 'react';
import { useProjectSettings } from '../../api/hooks';
import { usePreferences, type Language } from '../../app/preferences';
import { useOpenDocument } from '../../detail/editing';
import { useModel } from '../../api/project';
import { FieldEditor } from '../../form/FieldEditor';
import type { Document, Json, JsonObject, Kind } from '../../model/types';
import { equal, objectsOf } from '../../model/values';
import { Button, IconButton } from '../../ui/Button';
import { Chip, EmptyState } from '../../ui/Feedback';
import { Select, TextField } from '../../ui/Field';
import { Panel } from '../../ui/Overlay';
import { useWords } from '../../ui/texts';
import { nameOfCode, YesNo } from '../../ui/values';
import { CODES } from './codes';
import { useRateTexts } from './rate-texts';
import './settings.css';

/** The rates of a Tax Category as a table, by country. */
export default function TaxRates(_: { kind: Kind; document: Document }) {
  const t = useRateTexts();
  const words = useWords();
  const { language } = usePreferences();
  const { editing, mayUpdate } = useOpenDocument();
  const { countries } = useProjectSettings();
  const [open, setOpen] = useState<{ at?: number; rate: JsonObject }>();
  const rates = objectsOf(editing.edited.rates);
  const stored = objectsOf(editing.document.rates);
  const country = (rate: JsonObject) => nameOfCode('country', String(rate.country ?? ''), language);
  const rows = rates
    .map((rate, at) => ({ rate, at, before: stored.find((one) => one.id !== undefined && one.id === rate.id) }))
    .sort((a, b) => country(a.rate).localeCompare(country(b.rate), language) || stateOf(a.rate).localeCompare(stateOf(b.rate)));
  const without = countries.filter((code) => !rates.some((rate) => rate.country === code));
  const add = (code?: string) =>
    setOpen({ rate: { includedInPrice: usualInclusion(rates), ...(code ? { country: code } : {}) } });
  const save = (rate: JsonObject) => {
    const at = open?.at;
    editing.setField('rates', at === undefined ? [...rates, rate] : rates.map((one, index) => (index === at ? rate : one)));
    setOpen(undefined);
  };
  return (
    <div className="stack">
      {rows.length === 0 ? (
        <EmptyState
          icon="globe"
          title={t('noRates')}
          action={
            mayUpdate && (
              <Button look="primary" icon="plus" onPress={() => add(without[0])}>
                {t('addRate')}
              </Button>
            )
          }
        >
          {t('noRatesHint')}
        </EmptyState>
      ) : (
        <div className="grid-scroll" role="region" aria-label={t('rates')} tabIndex={0}>
          <table className="grid-table">
            <thead>
              <tr>
                <th scope="col">{t('country')}</th>
                <th scope="col">{words('name')}</th>
                <th scope="col" className="table-end">
                  {t('rate')}
                </th>
                <th scope="col">{t('included')}</th>
                <th scope="col">
                  <span className="visually-hidden">{words('edit')}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {rows.map(({ rate, at, before }) => (
                <tr key={String(rate.id ?? `new ${at}`)} data-changed={!equal(rate, before) || undefined}>
                  <th scope="row">
                    <span className="row">
                      <span>{country(rate)}</span>
                      {stateOf(rate) && <Chip>{stateOf(rate)}</Chip>}
                    </span>
                  </th>
                  <td dir="auto">{String(rate.name ?? '')}</td>
                  <td className="table-end numbers" title={subRatesText(rate, language)}>
                    {percentText(Number(rate.amount ?? 0), language)}
                  </td>
                  <td>
                    <YesNo value={rate.includedInPrice === true} />
                  </td>
                  <td className="grid-actions">
                    {mayUpdate && (
                      <span className="row">
                        <IconButton
                          small
                          icon="edit"
                          label={t('editRate', { name: `${country(rate)} ${stateOf(rate)}`.trim() })}
                          onPress={() => setOpen({ at, rate })}
                        />
                        <IconButton
                          small
                          icon="trash"
                          label={t('removeRate', { name: `${country(rate)} ${stateOf(rate)}`.trim() })}
                          onPress={() =>
                            editing.setField(
                              'rates',
                              rates.filter((_, index) => index !== at),
                            )
                          }
                        />
                      </span>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {mayUpdate && rows.length > 0 && (
        <div className="row wrap">
          <Button icon="plus" onPress={() => add(without[0])}>
            {t('addRate')}
          </Button>
          {without.length > 0 && (
            <span className="muted small">
              {t('without', { names: without.map((code) => nameOfCode('country', code, language)).join(', ') })}
            </span>
          )}
        </div>
      )}
      {open && (
        <RatePanel
          rate={open.rate}
          isNew={open.at === undefined}
          preferred={countries}
          onClose={() => setOpen(undefined)}
          onSave={save}
        />
      )}
    </div>
  );
}

function RatePanel({
  rate,
  isNew,
  preferred,
  onClose,
  onSave,
}: {
  rate: JsonObject;
  isNew: boolean;
  preferred: string[];
  onClose: () => void;
  onSave: (rate: JsonObject) => void;
}) {
  const t = useRateTexts();
  const words = useWords();
  const { language } = usePreferences();
  const model = useModel();
  const [edited, setEdited] = useState(rate);
  const [percent, setPercent] = useState(rate.amount === undefined ? '' : String(Math.round(Number(rate.amount) * 1e7) / 1e5));
  const set = (name: string, value: Json | undefined) =>
    setEdited((now) => {
      const next = { ...now };
      if (value === undefined) delete next[name];
      else next[name] = value;
      return next;
    });
  const amount = percentOf(percent);
  const isValid = amount !== undefined && typeof edited.country === 'string' && nameFor(edited, percent) !== '';
  const subRates = model.fieldAt('TaxRate', 'subRates');
  const options = [...preferred, ...CODES.country.filter((code) => !preferred.includes(code))].map((id) => ({
    id,
    label: nameOfCode('country', id, language),
    hint: id,
  }));
  const save = () => onSave({ ...edited, amount: amount ?? 0, name: nameFor(edited, percent) });
  return (
    <Panel
      title={isNew ? t('addRate') : t('editRate', { name: nameOfCode('country', String(edited.country), language) })}
      isOpen
      onClose={onClose}
      footer={
        <>
          <Button onPress={onClose}>{words('cancel')}</Button>
          <Button look="primary" isDisabled={!isValid} onPress={save}>
            {t('apply')}
          </Button>
        </>
      }
    >
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (isValid) save();
        }}
      >
        <Select
          label={t('country')}
          required
          value={typeof edited.country === 'string' ? edited.country : null}
          options={options}
          onChange={(country) => set('country', country)}
        />
        <TextField
          label={t('rate')}
          required
          autoFocus
          inputMode="decimal"
          value={percent}
          error={percent !== '' && amount === undefined ? t('percentHint') : undefined}
          suffix={<span className="control-addon">%</span>}
          onChange={setPercent}
        />
        <TextField
          label={words('name')}
          hint={t('nameHint')}
          placeholder={nameFor({}, percent)}
          value={String(edited.name ?? '')}
          onChange={(name) => set('name', name || undefined)}
        />
        <Select
          label={t('included')}
          value={edited.includedInPrice === true ? 'gross' : 'net'}
          options={[
            { id: 'gross', label: t('gross') },
            { id: 'net', label: t('net') },
          ]}
          onChange={(id) => set('includedInPrice', id === 'gross')}
        />
        <TextField
          label={t('state')}
          hint={t('stateHint')}
          value={stateOf(edited)}
          onChange={(state) => set('state', state || undefined)}
        />
        <TextField
          label={t('key')}
          hint={t('keyHint')}
          mono
          value={String(edited.key ?? '')}
          onChange={(key) => set('key', key || undefined)}
        />
        {subRates && (
          <FieldEditor
            field={{ ...subRates, label: t('subRates'), description: t('subRatesHint') }}
            value={edited.subRates}
            onChange={(value) => set('subRates', value)}
            path="subRates"
          />
        )}
        <button type="submit" hidden />
      </form>
    </Panel>
  );
}

const stateOf = (rate: JsonObject) => (typeof rate.state === 'string' ? rate.state : '');
/** Rates of a category mostly agree on it. */
const usualInclusion = (rates: JsonObject[]) =>
  rates.length === 0 || rates.filter((rate) => rate.includedInPrice === true).length * 2 >= rates.length;

const nameFor = (rate: JsonObject, percent: string) =>
  typeof rate.name === 'string' && rate.name.trim() ? rate.name.trim() : percent.trim() ? `${percent.trim()} %` : '';

/** `19` or `19,6` percent as a part of one; `undefined` if it is no rate. */
export function percentOf(text: string): number | undefined {
  const number = Number(text.trim().replace(',', '.'));
  if (text.trim() === '' || Number.isNaN(number) || number < 0 || number > 100) return undefined;
  return Math.round(number * 1e5) / 1e7;
}

const percentText = (amount: number, language: Language) =>
  amount.toLocaleString(language, { style: 'percent', minimumFractionDigits: 1, maximumFractionDigits: 4 });

const subRatesText = (rate: JsonObject, language: Language) =>
  objectsOf(rate.subRates)
    .map((one) => `${String(one.name)}: ${percentText(Number(one.amount), language)}`)
    .join('\n') || undefined;

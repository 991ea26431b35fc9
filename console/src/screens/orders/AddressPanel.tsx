import { useMemo, useState } from 'react';
import { useProjectSettings } from '../../api/hooks';
import { useModel } from '../../api/project';
import { usePreferences } from '../../app/preferences';
import { useOpenDocument } from '../../detail/editing';
import { FieldsEditor } from '../../form/FieldEditor';
import type { JsonObject } from '../../model/types';
import { equal, objectOf } from '../../model/values';
import { Button } from '../../ui/Button';
import { Checkbox, Select, TextField } from '../../ui/Field';
import { nameOfCode } from '../../ui/values';
import { FormPanel } from './FormPanel';
import { textOfField } from './documents';
import { useOrderTexts } from './texts';

/** The fields of the form in rows, as an envelope has them. */
const ROWS = [
  ['firstName', 'lastName'],
  ['company'],
  ['streetName', 'streetNumber'],
  ['additionalStreetInfo'],
  ['postalCode', 'city'],
  ['region', 'state'],
  ['phone', 'email'],
] as const;
const SHOWN = new Set<string>([...ROWS.flat(), 'country', 'id', 'custom']);
const SHORT = new Set(['streetNumber', 'postalCode']);

/** Edits an address of the open document. Its review shows the update action. */
export default function AddressPanel({ name, onClose }: { name: 'shippingAddress' | 'billingAddress'; onClose: () => void }) {
  const t = useOrderTexts();
  const model = useModel();
  const { language } = usePreferences();
  const { countries } = useProjectSettings();
  const { editing, review } = useOpenDocument();
  const [address, setAddress] = useState<JsonObject>(() => objectOf(editing.edited[name]) ?? { country: countries[0] ?? 'DE' });
  const [both, setBoth] = useState(false);
  const [all, setAll] = useState(false);
  const other = name === 'shippingAddress' ? 'billingAddress' : 'shippingAddress';
  const set = (field: string, value: string) => {
    const next = { ...address };
    if (value === '') delete next[field];
    else next[field] = value;
    setAddress(next);
  };
  const rest = useMemo(
    () => model.fieldsOf('BaseAddress').filter((field) => !SHOWN.has(field.name) && !field.readOnly && !field.deprecated),
    [model],
  );
  const country = textOfField(address.country) ?? '';
  const codes = [...new Set([...countries, country])].filter(Boolean);
  const apply = () => {
    editing.setField(name, address);
    if (both) editing.setField(other, address);
    onClose();
    review();
  };
  const isSame = equal(address, editing.document[name]) && (!both || equal(address, editing.document[other]));
  return (
    <FormPanel title={t(name)} onClose={onClose} onReview={apply} isDisabled={isSame || !country}>
      <div className="stack">
        {ROWS.map((row) => (
          <div key={row[0]} className="address-row">
            {row.map((field) => (
              <div key={field} className={SHORT.has(field) ? 'address-short' : 'grow'}>
                <TextField
                  label={t(field)}
                  value={textOfField(address[field]) ?? ''}
                  onChange={(value) => set(field, value)}
                  autoFocus={field === 'firstName'}
                  autoComplete="off"
                  dir="auto"
                />
              </div>
            ))}
          </div>
        ))}
        <Select
          label={t('country')}
          required
          value={country}
          options={codes.map((id) => ({ id, label: nameOfCode('country', id, language) }))}
          onChange={(value) => set('country', value)}
        />
        <Checkbox isSelected={both} onChange={setBoth}>
          {t(name === 'shippingAddress' ? 'alsoBilling' : 'alsoShipping')}
        </Checkbox>
        <div>
          <Button small look="plain" icon={all ? 'up' : 'down'} onPress={() => setAll(!all)}>
            {t(all ? 'fewerFields' : 'moreFields')}
          </Button>
        </div>
        {all && <FieldsEditor fields={rest} value={address} onChange={setAddress} path="" />}
      </div>
    </FormPanel>
  );
}

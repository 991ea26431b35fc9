import { useState } from 'react';
import { useProjectSettings } from '../../api/hooks';
import { useModel } from '../../api/project';
import type { JsonObject } from '../../model/types';
import { Button } from '../../ui/Button';
import { Select, TextField } from '../../ui/Field';
import { Panel } from '../../ui/Overlay';
import { ReferencePicker } from '../../ui/ReferencePicker';
import { useWords } from '../../ui/texts';
import { scopeOf, type PriceScope } from './prices';
import { useProductTexts } from './texts';

/** Chooses what the prices of a new column are for. */
export function NewPriceColumn({
  known,
  onClose,
  onAdd,
}: {
  known: PriceScope[];
  onClose: () => void;
  onAdd: (scope: PriceScope) => void;
}) {
  const t = useProductTexts();
  const words = useWords();
  const model = useModel();
  const { currencies, countries } = useProjectSettings();
  const [currency, setCurrency] = useState<string>();
  const [country, setCountry] = useState('');
  const [customerGroup, setGroup] = useState<JsonObject>();
  const [channel, setChannel] = useState<JsonObject>();
  const [validFrom, setFrom] = useState('');
  const [validUntil, setUntil] = useState('');
  const price: JsonObject = { value: { currencyCode: currency ?? currencies[0]! } };
  if (country) price.country = country;
  if (customerGroup) price.customerGroup = customerGroup;
  if (channel) price.channel = channel;
  if (validFrom) price.validFrom = `${validFrom}T00:00:00.000Z`;
  if (validUntil) price.validUntil = `${validUntil}T00:00:00.000Z`;
  const scope = scopeOf(price);
  const isKnown = known.some((one) => one.id === scope.id);
  const kindsOf = (typeId: string) => model.kinds.filter((kind) => kind.typeId === typeId && !kind.hidden);
  return (
    <Panel
      title={t('addPriceColumn')}
      isOpen
      onClose={onClose}
      footer={
        <>
          <Button onPress={onClose}>{words('cancel')}</Button>
          <Button look="primary" isDisabled={isKnown} onPress={() => onAdd(scope)}>
            {words('add')}
          </Button>
        </>
      }
    >
      <div className="stack">
        <p className="muted">{t('priceColumnHint')}</p>
        <Select
          label={words('currency')}
          value={currency ?? currencies[0] ?? null}
          options={currencies.map((id) => ({ id, label: id }))}
          onChange={setCurrency}
          error={isKnown ? t('columnThere') : undefined}
        />
        <Select
          label={t('country')}
          value={country}
          options={[{ id: '', label: words('all') }, ...countries.map((id) => ({ id, label: id }))]}
          onChange={setCountry}
        />
        <ReferencePicker label={t('customerGroup')} kinds={kindsOf('customer-group')} value={customerGroup} onChange={setGroup} />
        <ReferencePicker
          label={t('channel')}
          kinds={kindsOf('channel')}
          value={channel}
          onChange={setChannel}
          filter='roles contains any ("ProductDistribution")'
        />
        <div className="row-top">
          <TextField type="date" label={t('validFrom')} value={validFrom} onChange={setFrom} />
          <TextField type="date" label={t('validUntil')} value={validUntil} onChange={setUntil} />
        </div>
      </div>
    </Panel>
  );
}

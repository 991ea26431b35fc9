import { useState } from 'react';
import { useModel } from '../../api/project';
import { usePreferences, type Language } from '../../app/preferences';
import { useOpenDocument } from '../../detail/editing';
import { FieldsEditor } from '../../form/FieldEditor';
import type { Document, Json, JsonObject, Kind } from '../../model/types';
import { equal, objectsOf } from '../../model/values';
import { Button, IconButton } from '../../ui/Button';
import { Chip, EmptyState } from '../../ui/Feedback';
import { Menu } from '../../ui/Overlay';
import { Panel } from '../../ui/Overlay';
import { useWords } from '../../ui/texts';
import { nameOfCode } from '../../ui/values';
import { useCustomerTexts } from './texts';
import './customers.css';

type Use = 'Shipping' | 'Billing';

/** Lines of an address as they are written on a letter. */
function linesOf(address: JsonObject, language: Language): string[] {
  const text = (name: string) => (typeof address[name] === 'string' ? (address[name] as string) : '');
  const join = (...names: string[]) => names.map(text).filter(Boolean).join(' ');
  const country = text('country') && nameOfCode('country', text('country'), language);
  return [
    join('salutation', 'title', 'firstName', 'lastName'),
    join('company', 'department'),
    join('streetName', 'streetNumber'),
    join('additionalStreetInfo', 'building', 'apartment', 'pOBox'),
    join('postalCode', 'city'),
    join('region', 'state'),
    country,
  ].filter(Boolean);
}

/** The addresses of a Customer or a Business Unit as cards. Changes wait in the changes of the page. */
export default function AddressCards({ document }: { kind: Kind; document: Document }) {
  const t = useCustomerTexts();
  const { editing, mayUpdate } = useOpenDocument();
  const [edited, setEdited] = useState<{ at: number; address: JsonObject }>();
  const addresses = objectsOf(editing.edited.addresses);
  const stored = new Map(objectsOf(document.addresses).map((address) => [address.id, address]));
  const actionOf = (use: Use) => `setDefault${use}Address`;
  /** The default of the document, or what the changes say. */
  const defaultOf = (use: Use): Json | undefined => {
    const queued = editing.queued.filter(({ action }) => action === actionOf(use)).at(-1);
    return queued ? queued.addressId : document[`default${use}AddressId`];
  };
  const setDefault = (use: Use, addressId: Json) => {
    const before = editing.queued.findIndex(({ action }) => action === actionOf(use));
    if (before >= 0) editing.unqueue(before);
    editing.queue({ action: actionOf(use), addressId });
  };
  const add = () => setEdited({ at: addresses.length, address: { country: String(addresses[0]?.country ?? '') } });
  const apply = () => {
    if (!edited) return;
    const next = [...addresses];
    next[edited.at] = edited.address;
    editing.setField('addresses', next);
    setEdited(undefined);
  };
  return (
    <div className="stack">
      {addresses.length === 0 ? (
        <EmptyState
          icon="home"
          title={t('noAddresses')}
          action={
            mayUpdate && (
              <Button icon="plus" onPress={add}>
                {t('addAddress')}
              </Button>
            )
          }
        >
          {t('noAddressesHint')}
        </EmptyState>
      ) : (
        <>
          <ul className="address-cards">
            {addresses.map((address, at) => (
              <AddressCard
                key={String(address.id ?? `new-${at}`)}
                address={address}
                isChanged={address.id === undefined || !equal(stored.get(address.id), address)}
                isShipping={address.id !== undefined && defaultOf('Shipping') === address.id}
                isBilling={address.id !== undefined && defaultOf('Billing') === address.id}
                onEdit={mayUpdate ? () => setEdited({ at, address }) : undefined}
                onDefault={(use) => setDefault(use, address.id ?? null)}
                onRemove={() =>
                  editing.setField(
                    'addresses',
                    addresses.filter((_, index) => index !== at),
                  )
                }
              />
            ))}
          </ul>
          {mayUpdate && (
            <div>
              <Button icon="plus" onPress={add}>
                {t('addAddress')}
              </Button>
            </div>
          )}
        </>
      )}
      {edited && (
        <AddressPanel
          address={edited.address}
          isNew={edited.at === addresses.length}
          onChange={(address) => setEdited({ ...edited, address })}
          onApply={apply}
          onClose={() => setEdited(undefined)}
        />
      )}
    </div>
  );
}

function AddressCard({
  address,
  isChanged,
  isShipping,
  isBilling,
  onEdit,
  onDefault,
  onRemove,
}: {
  address: JsonObject;
  isChanged: boolean;
  isShipping: boolean;
  isBilling: boolean;
  onEdit?: () => void;
  onDefault: (use: Use) => void;
  onRemove: () => void;
}) {
  const t = useCustomerTexts();
  const words = useWords();
  const { language } = usePreferences();
  const lines = linesOf(address, language);
  const isStored = address.id !== undefined;
  return (
    <li className="address-card" data-changed={isChanged || undefined}>
      <address className="grow" dir="auto">
        {lines.map((line, at) => (at === 0 ? <b key={at}>{line}</b> : <span key={at}>{line}</span>))}
        {['phone', 'mobile', 'email'].map(
          (name) =>
            typeof address[name] === 'string' && (
              <span key={name} className="muted small">
                {address[name]}
              </span>
            ),
        )}
        <span className="row wrap address-chips">
          {isShipping && <Chip look="accent">{t('shipping')}</Chip>}
          {isBilling && <Chip look="accent">{t('billing')}</Chip>}
          {isChanged && <Chip look="info">{isStored ? t('changed') : t('added')}</Chip>}
          {typeof address.key === 'string' && <Chip>{address.key}</Chip>}
        </span>
      </address>
      {onEdit && (
        <span className="row address-buttons">
          <IconButton small icon="edit" label={`${t('editAddress')}: ${lines[0] ?? ''}`} onPress={onEdit} />
          <Menu
            label={t('addressActions', { name: lines[0] ?? '' })}
            trigger={<IconButton small icon="more" label={t('addressActions', { name: lines[0] ?? '' })} />}
            entries={[
              {
                id: 'shipping',
                label: t('makeShipping'),
                disabled: isShipping || !isStored,
                onAction: () => onDefault('Shipping'),
              },
              { id: 'billing', label: t('makeBilling'), disabled: isBilling || !isStored, onAction: () => onDefault('Billing') },
              { id: 'remove', label: words('remove'), icon: 'trash', danger: true, separated: true, onAction: onRemove },
            ]}
          />
        </span>
      )}
    </li>
  );
}

const FIRST = [
  'firstName',
  'lastName',
  'company',
  'streetName',
  'streetNumber',
  'additionalStreetInfo',
  'postalCode',
  'city',
  'state',
  'country',
  'phone',
  'email',
];

function AddressPanel({
  address,
  isNew,
  onChange,
  onApply,
  onClose,
}: {
  address: JsonObject;
  isNew: boolean;
  onChange: (address: JsonObject) => void;
  onApply: () => void;
  onClose: () => void;
}) {
  const t = useCustomerTexts();
  const words = useWords();
  const model = useModel();
  const fields = model.fieldsOf('BaseAddress').filter((field) => field.name !== 'id');
  const first = FIRST.flatMap((name) => fields.filter((field) => field.name === name));
  const more = fields.filter((field) => !FIRST.includes(field.name));
  const common = { value: address, onChange, path: '', document: address, owner: 'address' };
  return (
    <Panel
      title={isNew ? t('addAddress') : t('editAddress')}
      isOpen
      onClose={onClose}
      footer={
        <>
          <Button onPress={onClose}>{words('cancel')}</Button>
          <Button look="primary" onPress={onApply} isDisabled={!/^[A-Z]{2}$/.test(String(address.country ?? ''))}>
            {t('apply')}
          </Button>
        </>
      }
    >
      <div className="stack">
        <FieldsEditor {...common} fields={first} />
        <details className="more-fields">
          <summary>{t('moreFields')}</summary>
          <FieldsEditor {...common} fields={more} />
        </details>
      </div>
    </Panel>
  );
}

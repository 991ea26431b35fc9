import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useModel, useProject } from '../../api/project';
import { useOpenDocument } from '../../detail/editing';
import { FieldEditor } from '../../form/FieldEditor';
import type { Document, Json, JsonObject, Kind } from '../../model/types';
import { equal, isObject, valueAt } from '../../model/values';
import { Select, Switch, TextField } from '../../ui/Field';
import { EnumChip } from '../../ui/ValueCell';
import { CodePicker } from './CodePicker';
import { useProjectTexts } from './project-texts';
import './settings.css';

type Key = Parameters<ReturnType<typeof useProjectTexts>>[0];

/** The settings of the project in the order in which a new shop needs them. */
export default function ProjectSettings({ kind }: { kind: Kind; document: Document }) {
  const t = useProjectTexts();
  const { key, scopes } = useProject();
  const { editing, mayUpdate } = useOpenDocument();
  const { edited, document } = editing;
  const codes = (name: string) => ({
    value: stringsOf(edited[name]),
    stored: stringsOf(document[name]),
    isDisabled: !mayUpdate,
    onChange: (value: string[]) => editing.setField(name, value),
  });
  const searches = isObject(document.searchIndexing) ? document.searchIndexing : {};
  return (
    <div className="settings">
      <Part title={t('general')} hint={t('generalHint', { key })}>
        <TextField
          label={t('name')}
          value={String(edited.name ?? '')}
          onChange={(name) => editing.setField('name', name)}
          isDisabled={!mayUpdate}
          changed={!equal(edited.name, document.name)}
          required
        />
      </Part>
      <Part title={t('markets')} hint={t('marketsHint')}>
        <CodePicker type="country" label={t('countries')} {...codes('countries')} />
        <CodePicker type="currency" label={t('currencies')} required {...codes('currencies')} />
        <CodePicker type="language" label={t('languages')} hint={t('languagesHint')} required ordered {...codes('languages')} />
      </Part>
      <Part title={t('carts')} hint={t('cartsHint')}>
        <Setting kind={kind} path="carts.deleteDaysAfterLastModification" label="deleteCarts" />
        <Setting kind={kind} path="carts.priceRoundingMode" label="priceRounding" hint="roundingHint" />
        <Setting kind={kind} path="carts.taxRoundingMode" label="taxRounding" />
        <Toggle path="carts.countryTaxRateFallbackEnabled" label="taxFallback" hint="taxFallbackHint" />
        <Setting kind={kind} path="shippingRateInputType" label="tiers" hint="tiersHint" wide />
      </Part>
      <Part title={t('discounts')} hint={t('discountsHint')}>
        <Combination />
      </Part>
      <Part title={t('inventory')} hint={t('inventoryHint')}>
        <Setting kind={kind} path="inventory.reservationExpirationInMinutes" label="reservation" hint="reservationHint" />
        <Toggle path="inventory.releaseExpiredReservations" label="release" hint="releaseHint" />
      </Part>
      <Part title={t('lists')} hint={t('listsHint')}>
        <Setting kind={kind} path="shoppingLists.deleteDaysAfterLastModification" label="deleteLists" />
      </Part>
      <Part title={t('messages')} hint={t('messagesHint')}>
        <Toggle path="messages.enabled" label="messagesEnabled" />
        <Setting kind={kind} path="messages.deleteDaysAfterCreation" label="messagesDays" />
      </Part>
      <Part title={t('companies')} hint={t('companiesHint')}>
        <Setting kind={kind} path="businessUnits.myBusinessUnitStatusOnCreation" label="unitStatus" />
        <Setting kind={kind} path="businessUnits.myBusinessUnitAssociateRoleOnCreation" label="unitRole" />
      </Part>
      <Part title={t('searches')} hint={t('searchesHint')}>
        <ul className="setting-searches">
          {(['productsSearch', 'products', 'orders', 'customers', 'businessUnits'] as const).map((name) => {
            const one = searches[name];
            const status = isObject(one) && typeof one.status === 'string' ? one.status : 'Deactivated';
            return (
              <li key={name} className="row">
                <span className="grow">{t(name)}</span>
                <EnumChip value={status} />
              </li>
            );
          })}
        </ul>
        {(scopes.has('manage_project') || scopes.has('view_project_settings')) && (
          <p>
            <Link href={`/${encodeURIComponent(key)}/developers/searches`}>{t('toSearches')}</Link>
          </p>
        )}
      </Part>
      <Part title={t('oauth')} hint={t('oauthHint')}>
        <Setting kind={kind} path="externalOAuth" label="oauth" wide />
      </Part>
    </div>
  );
}

function Part({ title, hint, children }: { title: string; hint: string; children: ReactNode }) {
  return (
    <section className="setting-part" aria-label={title}>
      <div className="setting-about">
        <h2>{title}</h2>
        <p className="muted small">{hint}</p>
      </div>
      <div className="setting-fields">{children}</div>
    </section>
  );
}

/** Sets the value at a path like `carts.priceRoundingMode`. */
function useSetting(path: string) {
  const model = useModel();
  const { editing, mayUpdate } = useOpenDocument();
  const [top = '', inner] = path.split('.');
  const set = (value: Json | undefined) => {
    if (inner === undefined) return editing.setField(top, value);
    const before = editing.edited[top];
    const next: JsonObject = { ...(isObject(before) ? before : {}) };
    if (value === undefined) delete next[inner];
    else next[inner] = value;
    editing.setField(top, next);
  };
  return { model, set, mayUpdate, value: valueAt(editing.edited, path), stored: valueAt(editing.document, path) };
}

/** The editor of the model for one setting, with a label that says what it does. */
function Setting({ kind, path, label, hint, wide }: { kind: Kind; path: string; label: Key; hint?: Key; wide?: boolean }) {
  const t = useProjectTexts();
  const { model, set, mayUpdate, value, stored } = useSetting(path);
  const field = model.fieldAt(kind.type, path);
  if (!field) return null;
  return (
    <div className={wide ? undefined : 'setting-narrow'}>
      <FieldEditor
        field={{ ...field, label: t(label), description: hint && t(hint) }}
        value={value}
        stored={stored}
        onChange={set}
        path={path}
        mayEdit={() => mayUpdate}
      />
    </div>
  );
}

function Toggle({ path, label, hint }: { path: string; label: Key; hint?: Key }) {
  const t = useProjectTexts();
  const { set, mayUpdate, value, stored } = useSetting(path);
  const isOn = value === true;
  return (
    <div className="setting-toggle" data-changed={isOn !== (stored === true) || undefined}>
      <Switch isSelected={isOn} onChange={set} isDisabled={!mayUpdate}>
        <span>{t(label)}</span>
      </Switch>
      {hint && <p className="field-hint">{t(hint)}</p>}
    </div>
  );
}

function Combination() {
  const t = useProjectTexts();
  const { set, mayUpdate, value, stored } = useSetting('discounts.discountCombinationMode');
  return (
    <div className="setting-narrow">
      <Select
        label={t('combination')}
        value={typeof value === 'string' ? value : null}
        options={[
          { id: 'Stacking', label: t('stacking') },
          { id: 'BestDeal', label: t('bestDeal') },
        ]}
        onChange={set}
        isDisabled={!mayUpdate}
        changed={value !== stored}
      />
    </div>
  );
}

const stringsOf = (value: Json | undefined): string[] => (Array.isArray(value) ? value.map(String) : []);

import { useState } from 'react';
import { useLocation } from 'wouter';
import { useCreate } from '../../api/hooks';
import { useModel, useProject } from '../../api/project';
import { usePageTitle } from '../../app/breadcrumbs';
import { useLeaveGuard } from '../../app/leave-guard';
import { paths } from '../../app/paths';
import { CreatedOnce } from '../../detail/CreatedOnce';
import { defineTexts } from '../../i18n/texts';
import type { Document, Kind } from '../../model/types';
import { Button } from '../../ui/Button';
import { Banner } from '../../ui/Feedback';
import { Select, TextField } from '../../ui/Field';
import { ScopeChooser } from '../../ui/ScopeChooser';
import { useWords } from '../../ui/texts';

const useTexts = defineTexts(
  {
    title: 'New API Client',
    hint: 'For a program that calls the API of this project. It can do what its scopes allow, and no more than your role.',
    name: 'Name',
    purpose: 'For',
    storefront: 'A storefront',
    admin: 'Back office (everything)',
    reader: 'Reading only',
    importer: 'Importing products and stock',
    other: 'Something else',
    days: 'Delete after days',
    daysHint: 'Empty: it stays.',
    scopes: 'Scopes',
    create: 'Create API Client',
    chosen: '{count} scopes',
    chosen_one: '1 scope',
  },
  {
    title: 'Neuer API-Client',
    hint: 'Für ein Programm, das die API dieses Projekts aufruft. Es darf, was seine Scopes erlauben, und nicht mehr als Ihre Rolle.',
    name: 'Name',
    purpose: 'Für',
    storefront: 'Einen Shop',
    admin: 'Verwaltung (alles)',
    reader: 'Nur lesen',
    importer: 'Import von Produkten und Bestand',
    other: 'Etwas anderes',
    days: 'Löschen nach Tagen',
    daysHint: 'Leer: er bleibt.',
    scopes: 'Scopes',
    create: 'API-Client anlegen',
    chosen: '{count} Scopes',
    chosen_one: '1 Scope',
  },
);

const STOREFRONT = [
  'view_published_products',
  'view_categories',
  'create_anonymous_token',
  'manage_my_profile',
  'manage_my_orders',
  'manage_my_shopping_lists',
  'manage_my_payments',
  'view_products',
].filter((scope) => scope !== 'view_products');

/** Scopes for the usual purposes. */
function scopesFor(purpose: string, all: string[]): string[] {
  switch (purpose) {
    case 'storefront':
      return STOREFRONT;
    case 'admin':
      return ['manage_project'];
    case 'reader':
      return all.filter((scope) => scope.startsWith('view_'));
    case 'importer':
      return ['manage_import_containers', 'manage_products', 'manage_categories', 'manage_product_types', 'manage_types'].filter(
        (scope) => all.includes(scope),
      );
    default:
      return [];
  }
}

export default function CreateApiClient({ kind }: { kind: Kind }) {
  const t = useTexts();
  const words = useWords();
  const model = useModel();
  const { key } = useProject();
  const [, navigate] = useLocation();
  const create = useCreate(kind);
  const all = [...new Set([...model.model.scopes, ...STOREFRONT])];
  const [name, setName] = useState('');
  const [purpose, setPurpose] = useState('storefront');
  const [scopes, setScopes] = useState<ReadonlySet<string>>(new Set(STOREFRONT));
  const [days, setDays] = useState('');
  const [created, setCreated] = useState<Document>();
  usePageTitle(t('title'));
  useLeaveGuard(name !== '' && !created);
  if (created) return <CreatedOnce kind={kind} document={created} />;
  const choose = (next: string) => {
    setPurpose(next);
    if (next !== 'other') setScopes(new Set(scopesFor(next, all)));
  };
  const save = () => {
    const draft = {
      name: name.trim(),
      scope: [...scopes].map((scope) => `${scope}:${key}`).join(' '),
      ...(days ? { deleteDaysAfterCreation: Number(days) } : {}),
    };
    create.mutateAsync(draft).then(setCreated, () => undefined);
  };
  return (
    <div className="page page-narrow">
      <div className="page-head">
        <div className="stack-small">
          <h1>{t('title')}</h1>
          <p className="muted">{t('hint')}</p>
        </div>
      </div>
      {create.error && <Banner look="danger">{create.error.message}</Banner>}
      <div className="fields">
        <TextField label={t('name')} value={name} onChange={setName} autoFocus required />
        <Select
          label={t('purpose')}
          value={purpose}
          onChange={choose}
          options={(['storefront', 'importer', 'reader', 'admin', 'other'] as const).map((id) => ({ id, label: t(id) }))}
        />
        <TextField
          label={t('days')}
          hint={t('daysHint')}
          inputMode="numeric"
          value={days}
          onChange={(next) => setDays(next.replace(/\D/g, ''))}
        />
      </div>
      <section className="section">
        <h2>
          {t('scopes')} <span className="page-count">{t('chosen', { count: scopes.size })}</span>
        </h2>
        <ScopeChooser
          scopes={all}
          chosen={scopes}
          onChange={(next) => {
            setScopes(next);
            setPurpose('other');
          }}
        />
      </section>
      <div className="save-bar">
        <span className="row push">
          <Button onPress={() => navigate(paths.list(key, kind))}>{words('cancel')}</Button>
          <Button look="primary" onPress={save} isPending={create.isPending} isDisabled={!name.trim() || scopes.size === 0}>
            {t('create')}
          </Button>
        </span>
      </div>
    </div>
  );
}

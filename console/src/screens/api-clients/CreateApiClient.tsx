import { useState } from 'react';
import { useLocation } from 'wouter';
import { useCreate } from '../../api/hooks';
import { useModel, useProject } from '../../api/project';
import { usePageTitle } from '../../app/breadcrumbs';
import { useLeaveGuard } from '../../app/leave-guard';
import { paths } from '../../app/paths';
import type { Document, Kind } from '../../model/types';
import { Button } from '../../ui/Button';
import { Banner, Chip } from '../../ui/Feedback';
import { TextField } from '../../ui/Field';
import { ScopeChooser } from '../../ui/ScopeChooser';
import { useWords } from '../../ui/texts';
import { ApiClientCreated } from './ApiClientCreated';
import { PURPOSES, scopesFor, type Purpose } from './presets';
import { useApiClientTexts } from './texts';
import './api-clients.css';

/** A new API Client: choose what it is for, create, copy the secret. */
export default function CreateApiClient({ kind }: { kind: Kind }) {
  const t = useApiClientTexts();
  const words = useWords();
  const { model } = useModel();
  const { key } = useProject();
  const [, navigate] = useLocation();
  const create = useCreate(kind);
  const [purpose, setPurpose] = useState<Purpose>('storefront');
  const [name, setName] = useState<string>();
  const [scopes, setScopes] = useState<ReadonlySet<string>>(() => new Set(scopesFor('storefront', model.scopes)));
  const [days, setDays] = useState('');
  const [created, setCreated] = useState<Document>();
  usePageTitle(t('title'));
  useLeaveGuard((name !== undefined || purpose === 'other') && !created);
  if (created) return <ApiClientCreated kind={kind} document={created} />;
  const shownName = name ?? t(`${purpose}Name`);
  const choose = (next: Purpose) => {
    setPurpose(next);
    if (next !== 'other') setScopes(new Set(scopesFor(next, model.scopes)));
  };
  const save = () => {
    const draft = {
      name: shownName.trim(),
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
      <fieldset className="purposes">
        <legend className="field-label">{t('purpose')}</legend>
        {PURPOSES.map((id) => (
          <label key={id} className="purpose" data-chosen={id === purpose || undefined}>
            <input type="radio" name="purpose" checked={id === purpose} onChange={() => choose(id)} />
            <span className="purpose-text">
              <b>{t(id)}</b>
              <span className="muted small">{t(`${id}Hint`)}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <div className="fields">
        <TextField label={t('name')} value={shownName} onChange={setName} required />
        <TextField
          label={t('days')}
          hint={t('daysHint')}
          inputMode="numeric"
          value={days}
          onChange={(next) => setDays(next.replace(/\D/g, ''))}
        />
      </div>
      <Scopes
        all={model.scopes}
        chosen={scopes}
        isOpen={purpose === 'other'}
        onChange={(next) => {
          setScopes(next);
          setPurpose('other');
        }}
      />
      <div className="save-bar">
        <span className="row push">
          <Button onPress={() => navigate(paths.list(key, kind))}>{words('cancel')}</Button>
          <Button look="primary" onPress={save} isPending={create.isPending} isDisabled={!shownName.trim() || scopes.size === 0}>
            {t('create')}
          </Button>
        </span>
      </div>
    </div>
  );
}

const SHOWN_MAX = 24;

/** The scopes in short, and all of them to choose from on request. */
function Scopes({
  all,
  chosen,
  isOpen,
  onChange,
}: {
  all: string[];
  chosen: ReadonlySet<string>;
  isOpen: boolean;
  onChange: (chosen: ReadonlySet<string>) => void;
}) {
  const t = useApiClientTexts();
  const [isAsked, setAsked] = useState(false);
  const shown = [...chosen].slice(0, SHOWN_MAX);
  return (
    <section className="section">
      <div className="row wrap">
        <h2>
          {t('scopes')} <span className="page-count">{t('chosen', { count: chosen.size })}</span>
        </h2>
        {!isOpen && (
          <span className="push">
            <Button small onPress={() => setAsked(!isAsked)}>
              {isAsked ? t('fewer') : t('change')}
            </Button>
          </span>
        )}
      </div>
      {isOpen || isAsked ? (
        <ScopeChooser scopes={all} chosen={chosen} onChange={onChange} />
      ) : (
        <p className="row wrap">
          {shown.map((scope) => (
            <Chip key={scope}>{scope}</Chip>
          ))}
          {chosen.size > shown.length && <span className="muted small">+{chosen.size - shown.length}</span>}
        </p>
      )}
    </section>
  );
}

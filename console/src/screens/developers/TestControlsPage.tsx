import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { errorOf } from '../../api/errors';
import { useApp, useProject } from '../../api/project';
import { usePageTitle } from '../../app/breadcrumbs';
import { usePreferences } from '../../app/preferences';
import { createStore, useStore } from '../../app/store';
import { fromInputTime } from '../../form/ScalarField';
import type { JsonObject } from '../../model/types';
import { Button } from '../../ui/Button';
import { Banner, Chip, EmptyState, notify, notifyError } from '../../ui/Feedback';
import { Select, TextField } from '../../ui/Field';
import { Confirm } from '../../ui/Overlay';
import { useWords } from '../../ui/texts';
import { DateTime } from '../../ui/values';
import { useTestTexts } from './test-texts';
import './developers.css';

/** The token of the test controls and the snapshots of this page, in memory only. */
const memory = createStore<{ token: string; now?: string; snapshots: { id: string; at: string }[] }>({
  token: '',
  snapshots: [],
});

/** Calls a test control of the project. */
function useControl() {
  const { key } = useProject();
  const { configuration } = useApp();
  const cache = useQueryClient();
  return useMutation({
    mutationFn: async ({ control, body }: { control: string; body?: JsonObject }) => {
      const { token } = memory.get();
      const response = await fetch(`${configuration.apiBase}/_test/projects/${encodeURIComponent(key)}/${control}`, {
        method: 'POST',
        credentials: 'omit',
        headers: { 'Content-Type': 'application/json', ...(token ? { 'X-Test-Token': token } : {}) },
        body: JSON.stringify(body ?? {}),
      });
      if (!response.ok) throw await errorOf(response);
      const text = await response.text();
      return (text ? JSON.parse(text) : {}) as JsonObject;
    },
    onSuccess: () => cache.invalidateQueries(),
    onError: notifyError,
  });
}

/** Clock, faults, snapshots and reset of a project on a server for tests. */
export default function TestControlsPage() {
  const t = useTestTexts();
  const words = useWords();
  const { configuration } = useApp();
  const { scopes } = useProject();
  usePageTitle(t('title'));
  if (!configuration.testControls || !scopes.has('manage_project'))
    return (
      <div className="page">
        <EmptyState icon="info" title={configuration.testControls ? words('noAccess') : t('isOff')}>
          {configuration.testControls ? undefined : t('isOffHint')}
        </EmptyState>
      </div>
    );
  return (
    <div className="page">
      <header className="page-head">
        <div className="stack-small">
          <h1>{t('title')}</h1>
          <p className="muted">{t('hint')}</p>
        </div>
      </header>
      <Banner look="warning">{t('warning')}</Banner>
      <div className="controls">
        <Clock />
        <Background />
        <Faults />
        <Snapshots />
        <Token />
      </div>
    </div>
  );
}

function Part({ title, hint, children }: { title: string; hint: string; children: ReactNode }) {
  return (
    <section className="control-part" aria-label={title}>
      <div className="stack-small">
        <h2>{title}</h2>
        <p className="muted small">{hint}</p>
      </div>
      <div className="stack">{children}</div>
    </section>
  );
}

const HOUR = 3600;
const STEPS = [
  { id: 'hour', seconds: HOUR },
  { id: 'day', seconds: 24 * HOUR },
  { id: 'month', seconds: 30 * 24 * HOUR },
] as const;

function Clock() {
  const t = useTestTexts();
  const control = useControl();
  const { zone } = usePreferences();
  const { now } = useStore(memory);
  const [time, setTime] = useState('');
  const set = (body: JsonObject) =>
    control.mutate(
      { control: 'clock', body },
      {
        onSuccess: (answer) => {
          const isReal = Object.keys(body).length === 0;
          memory.update({ now: isReal ? undefined : String(answer.now) });
          notify({ look: 'success', text: isReal ? t('isReal') : t('moved') });
        },
      },
    );
  return (
    <Part title={t('clock')} hint={t('clockHint')}>
      {now && (
        <p className="row wrap">
          {t('now')} <DateTime value={now} exact />
        </p>
      )}
      <div className="row wrap">
        {STEPS.map((step) => (
          <Button key={step.id} icon="clock" onPress={() => set({ advanceSeconds: step.seconds })}>
            {t(step.id)}
          </Button>
        ))}
        <Button icon="undo" onPress={() => set({})}>
          {t('real')}
        </Button>
      </div>
      <form
        className="row wrap"
        onSubmit={(event) => {
          event.preventDefault();
          if (time) set({ now: fromInputTime(time, zone) });
        }}
      >
        <TextField aria-label={t('setTo')} type="datetime-local" value={time} onChange={setTime} />
        <Button type="submit" isDisabled={!time}>
          {t('setTo')}
        </Button>
      </form>
    </Part>
  );
}

function Background() {
  const t = useTestTexts();
  const control = useControl();
  return (
    <Part title={t('settle')} hint={t('settleHint')}>
      <div>
        <Button
          icon="refresh"
          isPending={control.isPending}
          onPress={() =>
            control.mutate({ control: 'settle' }, { onSuccess: () => notify({ look: 'success', text: t('settled') }) })
          }
        >
          {t('settleNow')}
        </Button>
      </div>
    </Part>
  );
}

type Effect = 'status' | 'delayMs' | 'disconnect';
const METHODS = ['GET', 'POST', 'DELETE'];

function Faults() {
  const t = useTestTexts();
  const control = useControl();
  const [method, setMethod] = useState('GET');
  const [path, setPath] = useState('/orders*');
  const [effect, setEffect] = useState<Effect>('status');
  const [value, setValue] = useState('503');
  const [times, setTimes] = useState('1');
  const [waiting, setWaiting] = useState<number>();
  const isUrl = /^[a-z]+:\/\//.test(path);
  const add = () =>
    control.mutate(
      {
        control: 'faults',
        body: {
          ...(isUrl ? { url: path } : { method, path }),
          [effect]: effect === 'disconnect' ? true : Number(value),
          times: Number(times) || 1,
        },
      },
      {
        onSuccess: (answer) => {
          setWaiting(Number(answer.waiting));
          notify({ look: 'success', text: t('faultAdded') });
        },
      },
    );
  const digits = (set: (text: string) => void) => (text: string) => set(text.replace(/\D/g, ''));
  return (
    <Part title={t('faults')} hint={t('faultsHint')}>
      <form
        className="fields"
        onSubmit={(event) => {
          event.preventDefault();
          add();
        }}
      >
        <Select
          label={t('method')}
          value={method}
          options={METHODS.map((id) => ({ id, label: id }))}
          onChange={setMethod}
          isDisabled={isUrl}
        />
        <TextField label={t('path')} hint={t('pathHint')} mono value={path} onChange={setPath} />
        <Select
          label={t('effect')}
          value={effect}
          options={(['status', 'delayMs', 'disconnect'] as const).map((id) => ({ id, label: t(id) }))}
          onChange={(id) => {
            setEffect(id as Effect);
            setValue(id === 'delayMs' ? '3000' : '503');
          }}
        />
        {effect !== 'disconnect' && (
          <TextField
            label={effect === 'status' ? t('code') : t('milliseconds')}
            inputMode="numeric"
            value={value}
            onChange={digits(setValue)}
          />
        )}
        <TextField label={t('times')} inputMode="numeric" value={times} onChange={digits(setTimes)} />
        <div className="fields-wide row wrap">
          <Button type="submit" icon="bolt" isPending={control.isPending} isDisabled={!path.trim()}>
            {t('addFault')}
          </Button>
          {waiting !== undefined && <Chip look="warning">{t('waiting', { count: waiting })}</Chip>}
        </div>
      </form>
    </Part>
  );
}

function Snapshots() {
  const t = useTestTexts();
  const words = useWords();
  const { name } = useProject();
  const control = useControl();
  const { snapshots } = useStore(memory);
  const [asked, setAsked] = useState<{ control: 'reset' } | { control: 'restore'; id: string }>();
  const take = () =>
    control.mutate(
      { control: 'snapshot' },
      {
        onSuccess: (answer) => {
          memory.update({ snapshots: [...snapshots, { id: String(answer.id), at: new Date().toISOString() }] });
          notify({ look: 'success', text: t('taken') });
        },
      },
    );
  const confirm = () => {
    if (!asked) return;
    control.mutate(
      { control: asked.control, body: asked.control === 'restore' ? { id: asked.id } : {} },
      {
        onSuccess: () => notify({ look: 'success', text: asked.control === 'reset' ? t('isReset') : t('restored') }),
        onSettled: () => setAsked(undefined),
      },
    );
  };
  return (
    <Part title={t('snapshots')} hint={t('snapshotsHint')}>
      {snapshots.length > 0 && (
        <ul className="searches">
          {snapshots.map((snapshot) => (
            <li key={snapshot.id} className="receiver">
              <span className="log-main">
                <DateTime value={snapshot.at} exact />
                <span className="mono muted small truncate">{snapshot.id}</span>
              </span>
              <Button small icon="undo" onPress={() => setAsked({ control: 'restore', id: snapshot.id })}>
                {t('restore')}
              </Button>
            </li>
          ))}
        </ul>
      )}
      <div className="row wrap">
        <Button icon="download" onPress={take} isPending={control.isPending && !asked}>
          {t('take')}
        </Button>
        <Button look="danger" icon="trash" onPress={() => setAsked({ control: 'reset' })}>
          {t('reset')}
        </Button>
      </div>
      <Confirm
        title={asked?.control === 'restore' ? t('restoreTitle') : t('resetTitle', { name })}
        isOpen={!!asked}
        onClose={() => setAsked(undefined)}
        confirm={asked?.control === 'restore' ? t('restore') : words('delete')}
        onConfirm={confirm}
        isPending={control.isPending}
      >
        {asked?.control === 'restore' ? t('restoreHint') : t('resetHint')}
      </Confirm>
    </Part>
  );
}

function Token() {
  const t = useTestTexts();
  const { token } = useStore(memory);
  return (
    <Part title={t('token')} hint={t('tokenHint')}>
      <TextField
        aria-label={t('token')}
        type="password"
        autoComplete="off"
        value={token}
        onChange={(next) => memory.update({ token: next })}
      />
    </Part>
  );
}

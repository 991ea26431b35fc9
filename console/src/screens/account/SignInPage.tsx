import { useEffect, useState, type FormEvent, type ReactNode } from 'react';
import { callConsole, type Configuration, type Session } from '../../api/console';
import { ApiError } from '../../api/errors';
import { enter, loadSession } from '../../api/session';
import { useShellTexts } from '../../app/texts';
import { Button } from '../../ui/Button';
import { Banner, Skeleton } from '../../ui/Feedback';
import { TextField } from '../../ui/Field';
import { SignInForm } from './SignInForm';

/** The token of a link `/console/#link=TOKEN`. It is removed from the address at once. */
function takeLink(): string | undefined {
  const found = location.hash.match(/^#link=(.+)$/)?.[1];
  if (found) history.replaceState(null, '', location.pathname + location.search);
  return found && decodeURIComponent(found);
}

const PROVIDER_ERRORS = {
  'rate-limit': 'signInRateLimit',
  expired: 'signInExpired',
  unavailable: 'signInUnavailable',
  refused: 'signInRefused',
  'unverified-email': 'signInUnverified',
  'unknown-operator': 'signInUnknown',
} as const;

/** Why the sign-in with a provider failed, from `/console/#sign-in-error=REASON`. */
function providerError() {
  const reason = location.hash.match(/^#sign-in-error=([a-z-]+)$/)?.[1];
  return Object.entries(PROVIDER_ERRORS).find(([known]) => known === reason)?.[1];
}

type Step = { is: 'link' } | { is: 'form'; used?: boolean } | { is: 'setup'; token: string };
let link: string | undefined;

/** Sign-in by password, by a link, or the set-up of the first operator. */
export function SignInPage({ configuration }: { configuration: Configuration }) {
  const t = useShellTexts();
  const [step, setStep] = useState<Step>(() => {
    link ??= takeLink();
    return link ? { is: 'link' } : { is: 'form' };
  });
  const [failed] = useState(providerError);
  useEffect(() => {
    if (failed) history.replaceState(null, '', location.pathname + location.search);
  }, [failed]);
  useEffect(() => {
    if (!link) return;
    const token = link;
    link = undefined;
    callConsole<Session | { setup: true }>('POST', 'sign-in-link', { token }).then(
      (answer) => ('setup' in answer ? setStep({ is: 'setup', token }) : enter(answer)),
      (error: unknown) => {
        const used = error instanceof ApiError && error.status < 500;
        loadSession()
          .catch(() => undefined)
          .finally(() => setStep({ is: 'form', used }));
      },
    );
  }, []);
  return (
    <main className="gate">
      <div className="gate-card">
        {step.is === 'link' && <Skeleton />}
        {step.is === 'form' && (
          <Gate title={t('signInTo')}>
            {step.used && <Banner look="warning">{t('linkUsed')}</Banner>}
            {failed && <Banner look="danger">{t(failed)}</Banner>}
            {configuration.setup ? <Banner>{t('firstLink')}</Banner> : <SignIn configuration={configuration} />}
          </Gate>
        )}
        {step.is === 'setup' && (
          <Gate title={t('setUpTitle')} hint={t('setUpHint')}>
            <SetUp token={step.token} />
          </Gate>
        )}
      </div>
    </main>
  );
}

function Gate({ title, hint, children }: { title: string; hint?: string; children: ReactNode }) {
  return (
    <>
      <div className="gate-head">
        <img src="/console/icon.svg" alt="" />
        <h1>{title}</h1>
        {hint && <p className="muted">{hint}</p>}
      </div>
      {children}
    </>
  );
}

function SignIn({ configuration }: { configuration: Configuration }) {
  const t = useShellTexts();
  return (
    <>
      <SignInForm />
      {configuration.oidc && (
        <a className="button" href="/console/api/oidc">
          {t('withProvider', { name: configuration.oidc.name })}
        </a>
      )}
    </>
  );
}

export const PASSWORD_LENGTH_MIN = 10;

function SetUp({ token }: { token: string }) {
  const t = useShellTexts();
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [error, setError] = useState<string>();
  const [isPending, setPending] = useState(false);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setPending(true);
    callConsole<Session>('POST', 'setup', { token, email, name, password })
      .then(enter, (reason: unknown) => setError(reason instanceof Error ? reason.message : String(reason)))
      .finally(() => setPending(false));
  };
  return (
    <form className="stack" onSubmit={submit}>
      <TextField label={t('yourName')} autoComplete="name" value={name} onChange={setName} autoFocus />
      <TextField label={t('email')} type="email" autoComplete="username" value={email} onChange={setEmail} />
      <TextField
        label={t('passwordField')}
        type="password"
        autoComplete="new-password"
        value={password}
        onChange={setPassword}
        hint={t('tooShort', { count: PASSWORD_LENGTH_MIN })}
      />
      {error && <Banner look="danger">{error}</Banner>}
      <Button
        type="submit"
        look="primary"
        isPending={isPending}
        isDisabled={!email || !name || password.length < PASSWORD_LENGTH_MIN}
      >
        {t('setUp')}
      </Button>
    </form>
  );
}

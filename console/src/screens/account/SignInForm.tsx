import { useEffect, useState, type FormEvent } from 'react';
import { useShellTexts } from '../../app/texts';
import { ApiError } from '../../api/errors';
import { signIn } from '../../api/session';
import { Button } from '../../ui/Button';
import { Banner } from '../../ui/Feedback';
import { TextField } from '../../ui/Field';

/** The form with e-mail and password. If `email` is given, the form needs only the password. */
export function SignInForm({ email: known }: { email?: string }) {
  const t = useShellTexts();
  const [email, setEmail] = useState(known ?? '');
  const [password, setPassword] = useState('');
  const [error, setError] = useState<string>();
  const [wait, setWait] = useState(0);
  const [isPending, setPending] = useState(false);
  useEffect(() => {
    if (wait <= 0) return undefined;
    const timer = setTimeout(() => setWait(wait - 1), 1000);
    return () => clearTimeout(timer);
  }, [wait]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setPending(true);
    setError(undefined);
    signIn(email, password)
      .catch((reason: unknown) => {
        if (reason instanceof ApiError && reason.status === 429) setWait(reason.retryAfter ?? 10);
        else setError(reason instanceof Error ? reason.message : String(reason));
        setPassword('');
      })
      .finally(() => setPending(false));
  };
  return (
    <form className="stack" onSubmit={submit}>
      <TextField
        label={t('email')}
        type="email"
        name="email"
        autoComplete="username"
        value={email}
        onChange={setEmail}
        isReadOnly={!!known}
        autoFocus={!known}
      />
      <TextField
        label={t('passwordField')}
        type="password"
        name="password"
        autoComplete="current-password"
        value={password}
        onChange={setPassword}
        autoFocus={!!known}
      />
      {error && <Banner look="danger">{error}</Banner>}
      {wait > 0 && <Banner look="warning">{t('tooMany', { count: wait })}</Banner>}
      <Button type="submit" look="primary" isPending={isPending} isDisabled={!email || !password || wait > 0}>
        {t('signIn')}
      </Button>
    </form>
  );
}

import { useState, type FormEvent } from 'react';
import { ApiError } from '../../api/errors';
import { callConsole } from '../../api/console';
import { loadSession } from '../../api/session';
import { useShellTexts } from '../../app/texts';
import { Button } from '../../ui/Button';
import { Banner, notify } from '../../ui/Feedback';
import { TextField } from '../../ui/Field';
import { Dialog } from '../../ui/Overlay';
import { useWords } from '../../ui/texts';
import { PASSWORD_LENGTH_MIN } from './SignInPage';

/** Changes the password; sets the first one of an operator who came by a link. */
export default function PasswordDialog({ onClose, isFirst }: { onClose: () => void; isFirst?: boolean }) {
  const t = useShellTexts();
  const words = useWords();
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const [again, setAgain] = useState('');
  const [error, setError] = useState<string>();
  const [isPending, setPending] = useState(false);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (next !== again) return setError(t('different'));
    setPending(true);
    callConsole('POST', 'password', isFirst ? { new: next } : { current, new: next })
      .then(
        () => {
          notify({ look: 'success', text: isFirst ? t('passwordSet') : t('passwordChanged') });
          void loadSession();
          onClose();
        },
        (reason: unknown) => setError(reason instanceof ApiError ? reason.message : String(reason)),
      )
      .finally(() => setPending(false));
  };
  return (
    <Dialog title={isFirst ? t('setPassword') : t('password')} isOpen onClose={onClose} locked={isFirst}>
      <form className="stack" onSubmit={submit}>
        {isFirst ? (
          <p className="muted">{t('setPasswordHint')}</p>
        ) : (
          <TextField
            label={t('currentPassword')}
            type="password"
            autoComplete="current-password"
            value={current}
            onChange={setCurrent}
            autoFocus
          />
        )}
        <TextField
          autoFocus={isFirst}
          label={t('newPassword')}
          type="password"
          autoComplete="new-password"
          value={next}
          onChange={setNext}
          hint={t('tooShort', { count: PASSWORD_LENGTH_MIN })}
        />
        <TextField label={t('repeatPassword')} type="password" autoComplete="new-password" value={again} onChange={setAgain} />
        {error && <Banner look="danger">{error}</Banner>}
        <div className="row push">
          {!isFirst && <Button onPress={onClose}>{words('cancel')}</Button>}
          <Button
            type="submit"
            look="primary"
            isPending={isPending}
            isDisabled={(!current && !isFirst) || !again || next.length < PASSWORD_LENGTH_MIN}
          >
            {words('save')}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

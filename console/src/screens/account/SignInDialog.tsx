import { useSession } from '../../api/session';
import { useShellTexts } from '../../app/texts';
import { Dialog } from '../../ui/Overlay';
import { SignInForm } from './SignInForm';

/** Asks for the password again, over the page as it is. */
export default function SignInDialog() {
  const t = useShellTexts();
  const { operator } = useSession();
  return (
    <Dialog title={t('signInAgain')} isOpen onClose={() => undefined} locked>
      <div className="stack">
        <p className="muted">{t('signInAgainHint')}</p>
        <SignInForm email={operator.email} />
      </div>
    </Dialog>
  );
}

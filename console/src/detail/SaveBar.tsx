import { Button } from '../ui/Button';
import { useWords } from '../ui/texts';
import type { Editing } from './editing';
import { useDetailTexts } from './texts';

/** At the bottom of a page with unsaved changes. */
export function SaveBar({ editing, onReview }: { editing: Editing; onReview: () => void }) {
  const t = useDetailTexts();
  const words = useWords();
  const count = editing.replacement ? 1 : editing.actions.length + editing.plan.impossible.length;
  return (
    <div className="save-bar" role="region" aria-label={t('changes', { count })}>
      <b className="numbers">{t('changes', { count })}</b>
      <span className="row push">
        <Button onPress={editing.discard}>{words('discard')}</Button>
        <Button look="primary" onPress={onReview}>
          {t('review')}
        </Button>
      </span>
    </div>
  );
}

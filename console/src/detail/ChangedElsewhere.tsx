import { Button } from '../ui/Button';
import { Banner } from '../ui/Feedback';
import type { Editing } from './editing';
import { useDetailTexts } from './texts';

/** Says that somebody else has changed the document while it was edited here. */
export function ChangedElsewhere({ editing }: { editing: Editing }) {
  const t = useDetailTexts();
  if (!editing.newer) return null;
  return (
    <Banner
      look="warning"
      action={
        <Button small onPress={editing.discard}>
          {t('reload')}
        </Button>
      }
    >
      {t('changedElsewhere')}
    </Banner>
  );
}

import { Button } from '../ui/Button';
import { Banner } from '../ui/Feedback';
import type { Editing } from './editing';
import { useDetailTexts } from './texts';

/** Shows a warning if the document was changed elsewhere while it was edited here. */
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

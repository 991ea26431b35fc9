import type { JsonObject } from '../../model/types';
import { Chip } from '../../ui/Feedback';
import { useAssortmentTexts } from './texts';

/** Whether a tailoring is published, and whether it was changed since. */
export function StatusChips({ tailoring }: { tailoring: JsonObject }) {
  const t = useAssortmentTexts();
  const isPublished = tailoring.published === true;
  return (
    <span className="row">
      <Chip look={isPublished ? 'success' : 'neutral'}>{t(isPublished ? 'published' : 'unpublished')}</Chip>
      {isPublished && tailoring.hasStagedChanges === true && <Chip look="warning">{t('modified')}</Chip>}
    </span>
  );
}

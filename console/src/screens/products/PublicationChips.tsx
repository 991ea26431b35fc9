import type { JsonObject } from '../../model/types';
import { valueAt } from '../../model/values';
import { Chip } from '../../ui/Feedback';
import { useProductTexts } from './texts';

/** Whether a Product is published, and whether it was changed since. */
export function PublicationChips({ product }: { product: JsonObject }) {
  const t = useProductTexts();
  const isPublished = valueAt(product, 'masterData.published') === true;
  const isModified = valueAt(product, 'masterData.hasStagedChanges') === true;
  return (
    <span className="row">
      <Chip look={isPublished ? 'success' : 'neutral'}>{t(isPublished ? 'published' : 'unpublished')}</Chip>
      {isModified && <Chip look="warning">{t('modified')}</Chip>}
    </span>
  );
}

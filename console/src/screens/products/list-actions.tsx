import { Link } from 'wouter';
import { useKind } from '../../api/hooks';
import { useProject } from '../../api/project';
import { Icon } from '../../ui/Icon';
import type { Kind } from '../../model/types';
import { useCategoryTexts } from './category-texts';
import { useImportTexts } from './import-texts';

/** A link to the import of the kind. */
export function ImportLink({ kind }: { kind: Kind }) {
  const t = useImportTexts();
  const { key } = useProject();
  const { mayManage } = useKind(kind.name);
  if (!mayManage) return null;
  return (
    <Link className="button button-compact" href={`/${encodeURIComponent(key)}/${kind.path}/import`}>
      <Icon name="upload" />
      <span className="button-text">{t('importCsv')}</span>
    </Link>
  );
}

export function TreeLink() {
  const t = useCategoryTexts();
  const { key } = useProject();
  return (
    <Link className="button button-compact" href={`/${encodeURIComponent(key)}/categories/tree`}>
      <Icon name="menu" />
      <span className="button-text">{t('tree')}</span>
    </Link>
  );
}

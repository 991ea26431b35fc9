import { Link } from 'wouter';
import { useProject } from '../../api/project';
import { paths } from '../../app/paths';
import type { Kind } from '../../model/types';
import { useUnitTexts } from './unit-texts';

/** From the list to the tree. */
export default function UnitListActions({ kind }: { kind: Kind }) {
  const t = useUnitTexts();
  const { key } = useProject();
  return (
    <Link className="button button-normal" href={`${paths.list(key, kind)}/tree`}>
      {t('tree')}
    </Link>
  );
}

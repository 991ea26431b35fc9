import { Link } from 'wouter';
import { useProject } from '../../api/project';
import { Icon } from '../../ui/Icon';
import { useStateTexts } from './state-texts';

/** From the list of States to their graph. */
export default function StateListActions() {
  const t = useStateTexts();
  const { key } = useProject();
  return (
    <Link className="button button-normal" href={`/${encodeURIComponent(key)}/settings/workflows`}>
      <Icon name="bolt" />
      {t('asGraph')}
    </Link>
  );
}

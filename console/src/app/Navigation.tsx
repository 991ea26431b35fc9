import { Link, useLocation } from 'wouter';
import { useProject } from '../api/project';
import { Icon } from '../ui/Icon';
import { useNavigation, type Group } from './navigation';
import { useShellTexts } from './texts';

/** The groups of kinds and pages. The group of the open page shows its entries; with `expanded`, all do. */
export function Navigation({ expanded }: { expanded?: boolean }) {
  const t = useShellTexts();
  const groups = useNavigation();
  const { key } = useProject();
  const [location] = useLocation();
  const base = `/${encodeURIComponent(key)}`;
  const rest = location.slice(base.length + 1);
  const isOpen = (path: string) => rest === path || rest.startsWith(`${path}/`);
  return (
    <>
      <Link href={base} className="nav-brand">
        <img src="/console/icon.svg" alt="" />
        <span className="nav-text">Kontor</span>
      </Link>
      <Link href={base} className="nav-link" aria-current={rest === '' ? 'page' : undefined} title={t('home')}>
        <Icon name="home" />
        <span className="nav-text">{t('home')}</span>
      </Link>
      {groups.map((group) => (
        <NavigationGroup key={group.id} group={group} base={base} isOpen={isOpen} expanded={expanded} />
      ))}
    </>
  );
}

function NavigationGroup({
  group,
  base,
  isOpen,
  expanded,
}: {
  group: Group;
  base: string;
  isOpen: (path: string) => boolean;
  expanded?: boolean;
}) {
  const active = group.entries.some((entry) => isOpen(entry.path));
  const first = group.entries[0];
  if (!first) return null;
  return (
    <div className="nav-group">
      <Link href={`${base}/${first.path}`} className="nav-link" data-active={active || undefined} title={group.label}>
        <Icon name={group.icon} />
        <span className="nav-text">{group.label}</span>
      </Link>
      {(active || expanded) && (
        <ul className="nav-children">
          {group.entries.map((entry) => (
            <li key={entry.path}>
              <Link href={`${base}/${entry.path}`} className="nav-link" aria-current={isOpen(entry.path) ? 'page' : undefined}>
                <span className="truncate">{entry.label}</span>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

import { useEffect } from 'react';
import { useLocation } from 'wouter';
import { useProject } from '../api/project';
import { useNavigation } from './navigation';
import { createStore, useStore } from './store';
import { useShellTexts } from './texts';

/** The title of the open page, if the address does not say it: the name of a document. */
const pageTitle = createStore<string | undefined>(undefined);

/** Sets the last step of the path of the page, and the title of the window. */
export function usePageTitle(title: string | undefined): void {
  useEffect(() => {
    pageTitle.set(title);
    document.title = title ? `${title} · Kontor` : 'Kontor';
    return () => pageTitle.set(undefined);
  }, [title]);
}

/** The path of the open page: project, group, list, document. */
export function useBreadcrumbs(): { path: string; label: string }[] {
  const t = useShellTexts();
  const project = useProject();
  const [location] = useLocation();
  const title = useStore(pageTitle);
  const groups = useNavigation();
  const base = `/${encodeURIComponent(project.key)}`;
  const rest = location.slice(base.length + 1);
  const crumbs = [{ path: base, label: project.name }];
  if (!rest) return [...crumbs, { path: `${base}/`, label: t('home') }];
  const entries = groups.flatMap((group) => group.entries);
  const entry = entries.find(({ path }) => rest === path || rest.startsWith(`${path}/`));
  if (entry) crumbs.push({ path: `${base}/${entry.path}`, label: entry.label });
  if (title && title !== entry?.label && rest !== entry?.path) crumbs.push({ path: location, label: title });
  return crumbs;
}

import { useCallback, useMemo } from 'react';
import { useLocation, useSearch } from 'wouter';
import { readStored, writeStored } from '../app/store';
import { segmentOf } from '../model/model';
import type { Kind } from '../model/types';

/** The filter, order, columns and page of a list. The URL contains them, so that a link shows the same list. */
export interface ListState {
  where: string;
  text: string;
  sort: string;
  columns: string[] | undefined;
  page: number;
  limit: number;
}

export const LIMITS = [20, 50, 100, 500];
const LIMIT_NORMAL = 50;

export function useListState(): [ListState, (change: Partial<ListState>) => void] {
  const search = useSearch();
  const [path, navigate] = useLocation();
  const state = useMemo<ListState>(() => {
    const from = new URLSearchParams(search);
    return {
      where: from.get('where') ?? '',
      text: from.get('q') ?? '',
      sort: from.get('sort') ?? '',
      columns: from.get('columns')?.split(','),
      page: Math.max(0, Number(from.get('page') ?? 1) - 1) || 0,
      limit: LIMITS.find((limit) => limit === Number(from.get('limit'))) ?? LIMIT_NORMAL,
    };
  }, [search]);
  const change = useCallback(
    (update: Partial<ListState>) => {
      const filtered = 'where' in update || 'text' in update || 'sort' in update || 'limit' in update;
      const next = { ...state, ...(filtered ? { page: 0 } : {}), ...update };
      navigate(`${path}${queryOf(next)}`, { replace: true });
    },
    [state, path, navigate],
  );
  return [state, change];
}

export function queryOf(state: Partial<ListState>): string {
  const to = new URLSearchParams();
  if (state.where) to.set('where', state.where);
  if (state.text) to.set('q', state.text);
  if (state.sort) to.set('sort', state.sort);
  if (state.columns) to.set('columns', state.columns.join(','));
  if (state.page) to.set('page', String(state.page + 1));
  if (state.limit && state.limit !== LIMIT_NORMAL) to.set('limit', String(state.limit));
  const text = to.toString();
  return text ? `?${text}` : '';
}

export interface SavedView {
  name: string;
  state: Partial<ListState>;
}

const viewsName = (project: string, kind: Kind) => `views.${project}.${segmentOf(kind)}`;
export const readViews = (project: string, kind: Kind): SavedView[] => readStored(viewsName(project, kind), []);
export const writeViews = (project: string, kind: Kind, views: SavedView[]) => writeStored(viewsName(project, kind), views);

import { useCallback } from 'react';
import { useLocation } from 'wouter';
import { useProject } from '../api/project';
import { segmentOf } from '../model/model';
import type { Kind } from '../model/types';

/** Addresses of pages, below `/console`. */
export const paths = {
  home: (project: string) => `/${encodeURIComponent(project)}`,
  list: (project: string, kind: Kind) => `/${encodeURIComponent(project)}/${segmentOf(kind)}`,
  create: (project: string, kind: Kind) => `/${encodeURIComponent(project)}/${segmentOf(kind)}/new`,
  document: (project: string, kind: Kind, id: string) =>
    kind.singleton
      ? `/${encodeURIComponent(project)}/${segmentOf(kind)}`
      : `/${encodeURIComponent(project)}/${segmentOf(kind)}/${encodeURIComponent(id)}`,
};

/** `go('products/new')` opens a page of the current project. */
export function useGo(): (path: string, options?: { replace?: boolean }) => void {
  const { key } = useProject();
  const [, navigate] = useLocation();
  return useCallback(
    (path, options) => navigate(`/${encodeURIComponent(key)}${path ? `/${path}` : ''}`, options),
    [key, navigate],
  );
}

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

import type { ComponentType, ReactNode } from 'react';
import type { PartPlanner } from '../model/changes';
import { titleOf } from '../model/display';
import type { Document, Kind, SearchField } from '../model/types';
import { mergeParts } from '../model/values';
import type { IconName } from '../ui/Icon';
import type { Language } from './preferences';

/**
 * The pages and navigation entries that a hand-made part of the console adds. `src/screens/<area>/area.ts` exports one as `area`.
 */
export interface Area {
  /** Pages below `/console/{project}/`. */
  routes?: AreaRoute[];
  /** Pages and parts of pages of a kind, by its name in the model. The generic parts replace absent ones. */
  kinds?: Record<string, KindScreens>;
  /** Entries of the navigation on the left. */
  navigation?: AreaEntry[];
}

export interface AreaRoute {
  /** For example `settings/operators` or `developers/searches/:index`. */
  path: string;
  /** The page, made by `lazy(() => import('./MyPage'))`. It gets the parameters of the path as properties. */
  page: ComponentType<Record<string, string>>;
}

export interface KindScreens {
  /** Instead of the generic list, detail and creation. */
  list?: ComponentType<{ kind: Kind }>;
  detail?: ComponentType<{ kind: Kind; id: string }>;
  create?: ComponentType<{ kind: Kind }>;
  /** The columns of the generic list, as paths: `masterData.current.name`. */
  columns?: string[];
  /** The first sort expression of the generic list. */
  sort?: string;
  /** The fields in which the text search of the list looks, for kinds with a search. */
  searchFields?: SearchField[];
  /** Actions at the top of the generic list, e.g. an import. */
  listActions?: ComponentType<{ kind: Kind }>;
  /** Further tabs of the generic detail. */
  tabs?: { id: string; label: Record<Language, string>; content: ComponentType<{ kind: Kind; document: Document }> }[];
  /** Buttons at the top of the generic detail: the most used action of the kind. */
  actions?: ComponentType<{ kind: Kind; document: Document }>;
  /** A part above the form of the generic detail. */
  summary?: ComponentType<{ kind: Kind; document: Document }>;
  /** The title of the generic detail; `undefined`: the first of the fields that name a document. */
  title?: (document: Document, language: Language) => string | undefined;
  /** The headers of columns of the generic list, by path, where the name of the field says too little. */
  labels?: Record<string, Record<Language, string>>;
  /** Renders the cells of the generic list, by path. A path that is not in the model adds a column. */
  cells?: Record<string, (document: Document) => ReactNode>;
  /** Labels and layout of the columns of `cells` whose path is not in the model. */
  ownColumns?: Record<string, { label: Record<Language, string>; width?: number; align?: 'end' }>;
  /** Further fields by which documents are found without a search, as paths: `lineItems.variant.sku`. */
  lookupPaths?: string[];
  /** Actions with the selected rows of the generic list. */
  bulkActions?: ComponentType<{ kind: Kind; documents: Document[]; onDone: () => void }>;
  /** Finds the update actions of parts of a document that the model does not describe. */
  planner?: PartPlanner;
}

export interface AreaEntry {
  group: GroupId;
  path: string;
  label: Record<Language, string>;
  icon?: IconName;
  /** Any of these scopes; absent: no scope is needed. */
  scopes?: string[];
  /** A scope without which the page would show nothing. */
  required?: string;
  /** Only for administrators. */
  administrator?: boolean;
  /** Only where the server has test controls. */
  testControls?: boolean;
}

export type GroupId = 'orders' | 'products' | 'customers' | 'discounts' | 'content' | 'settings' | 'developers' | 'more';

const found = import.meta.glob<{ area: Area }>('../screens/*/area.ts', { eager: true });
export const areas: Area[] = Object.keys(found)
  .sort()
  .map((path) => found[path]!.area);

const screens = new Map<string, KindScreens>();
for (const { kinds = {} } of areas)
  for (const [name, added] of Object.entries(kinds)) screens.set(name, mergeParts(name, screens.get(name) ?? {}, added));

const NOTHING: KindScreens = {};

/** The hand-made screens of a kind, if there are any. */
export const screensOf = (kind: Kind): KindScreens => screens.get(kind.name) ?? NOTHING;

/** The title of a document, as its hand-made screens or the model name it. */
export const pageTitleOf = (kind: Kind, document: Document, language: Language): string =>
  screensOf(kind).title?.(document, language) ?? titleOf(kind, document, language);

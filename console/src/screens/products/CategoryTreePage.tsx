import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { Link } from 'wouter';
import { useKind } from '../../api/hooks';
import { useProject } from '../../api/project';
import { usePageTitle } from '../../app/breadcrumbs';
import { usePreferences } from '../../app/preferences';
import { paths } from '../../app/paths';
import { readAll } from '../../list/list-data';
import { titleOf } from '../../model/display';
import type { Document, JsonObject, Kind } from '../../model/types';
import { Button } from '../../ui/Button';
import { EmptyState, ErrorState, Skeleton } from '../../ui/Feedback';
import { TextField } from '../../ui/Field';
import { Icon } from '../../ui/Icon';
import { NoAccess } from '../../ui/NoAccess';
import { treeOf, type TreeNode } from './category-tree';
import { useCategoryTexts } from './category-texts';
import { CategoryRow } from './CategoryRow';
import { MovePanel } from './MovePanel';
import { useMove } from './use-move';
import './categories.css';

/** The tree is expanded at first if it has at most this many Categories. */
const OPEN_AT_FIRST_MAX = 200;
const COUNTED_MAX = 200;

/** All Categories; an API limits them to 10,000. */
function useCategories(kind: Kind) {
  const { client } = useProject();
  return useQuery({
    queryKey: [client.project, kind.name, 'list', 'tree'],
    queryFn: async () => {
      const all: Document[] = [];
      for await (const { documents } of readAll(client, kind, '')) all.push(...documents);
      return all;
    },
  });
}

interface FacetAnswer {
  facets: { name: string; buckets?: { key: string; count: number }[] }[];
}

/** Returns the number of Products of each Category, by one request to Product Search, if it is on. */
function useProductCounts(): Map<string, number> {
  const { client } = useProject();
  const { data } = useQuery({
    queryKey: [client.project, 'Product', 'list', 'by category'],
    staleTime: 60_000,
    queryFn: ({ signal }) =>
      client
        .request<FacetAnswer>('products/search', {
          method: 'POST',
          signal,
          body: { limit: 0, facets: [{ distinct: { name: 'categories', field: 'categories', limit: COUNTED_MAX } }] },
        })
        .catch(() => undefined), // Without the search there are no counts.
  });
  return useMemo(() => new Map((data?.facets[0]?.buckets ?? []).map((bucket) => [bucket.key, bucket.count])), [data]);
}

export default function CategoryTreePage() {
  const { kind, mayView } = useKind('Category');
  return kind && mayView ? <Tree kind={kind} /> : <NoAccess />;
}

function Tree({ kind }: { kind: Kind }) {
  const t = useCategoryTexts();
  const { key } = useProject();
  const { language } = usePreferences();
  const { mayManage } = useKind(kind.name);
  const categories = useCategories(kind);
  const counts = useProductCounts();
  const [text, setText] = useState('');
  const [changed, setChanged] = useState<ReadonlyMap<string, boolean>>(new Map());
  const [moving, setMoving] = useState<Document>();
  usePageTitle(t('title'));
  const all = categories.data;
  const roots = useMemo(() => treeOf(all ?? []), [all]);
  const name = (category: JsonObject) => titleOf(kind, category, language);
  const move = useMove(kind, all ?? NONE, name);
  const isOpenAtFirst = (all?.length ?? 0) <= OPEN_AT_FIRST_MAX;
  const found = useMemo(() => (text.trim() ? findNodes(roots, text.trim().toLowerCase()) : undefined), [roots, text]);
  const isOpen = (id: string) => (found ? true : (changed.get(id) ?? isOpenAtFirst));
  const setAll = (open: boolean) => setChanged(new Map((all ?? []).map((category) => [category.id, open])));
  return (
    <div className="page page-narrow">
      <div className="page-head">
        <h1>
          {t('title')} {all && <span className="page-count numbers">{all.length.toLocaleString(language)}</span>}
        </h1>
        <div className="page-actions">
          <Link className="button" href={paths.list(key, kind)}>
            <Icon name="columns" />
            {t('table')}
          </Link>
          {mayManage && (
            <Link className="button button-primary" href={paths.create(key, kind)}>
              <Icon name="plus" />
              {t('newOne')}
            </Link>
          )}
        </div>
      </div>
      {categories.error && !all ? (
        <ErrorState error={categories.error} onRetry={() => void categories.refetch()} />
      ) : !all ? (
        <Skeleton lines={8} />
      ) : all.length === 0 ? (
        <EmptyState icon="products" title={t('empty')}>
          {t('emptyHint')}
        </EmptyState>
      ) : (
        <div className="stack">
          <div className="row wrap">
            <div className="filter-text">
              <TextField type="search" aria-label={t('find')} placeholder={t('find')} value={text} onChange={setText} />
            </div>
            <Button look="plain" onPress={() => setAll(true)}>
              {t('expandAll')}
            </Button>
            <Button look="plain" onPress={() => setAll(false)}>
              {t('collapseAll')}
            </Button>
          </div>
          <ul className="tree">
            {roots.map((node) => (
              <CategoryRow
                key={node.category.id}
                kind={kind}
                node={node}
                siblings={roots}
                shown={found}
                counts={counts}
                name={name}
                isOpen={isOpen}
                onToggle={(id, open) => setChanged((now) => new Map(now).set(id, open))}
                onMove={mayManage ? move.start : undefined}
                onMoveTo={setMoving}
              />
            ))}
          </ul>
          {mayManage && <p className="muted small">{t('hint')}</p>}
        </div>
      )}
      {moving && (
        <MovePanel
          category={moving}
          roots={roots}
          name={name}
          onClose={() => setMoving(undefined)}
          onMove={(parent, position) => {
            setMoving(undefined);
            move.start(moving, parent, position);
          }}
        />
      )}
      {move.question}
    </div>
  );
}

const NONE: Document[] = [];

/** The Categories whose names or keys contain a text, with all above them. */
function findNodes(roots: TreeNode[], text: string): Set<string> {
  const found = new Set<string>();
  const visit = (node: TreeNode): boolean => {
    const { name, key, slug } = node.category;
    const below = node.children.map(visit).some(Boolean);
    const fits = JSON.stringify([name, key ?? '', slug])
      .toLowerCase()
      .includes(text);
    if (below || fits) found.add(node.category.id);
    return below || fits;
  };
  roots.forEach(visit);
  return found;
}

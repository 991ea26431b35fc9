import { Suspense, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useKind, useProjectSettings } from '../api/hooks';
import { useModel, useProject } from '../api/project';
import { screensOf } from '../app/areas';
import { usePageTitle } from '../app/breadcrumbs';
import { useShortcuts } from '../app/keyboard';
import { kindName, useKindLabel } from '../app/navigation';
import { lookupFields } from '../app/find';
import { hasTextSearch, searchFields } from '../app/text-search';
import { usePreferences } from '../app/preferences';
import { paths } from '../app/paths';
import { columnChoices, defaultColumns, sortPath } from '../model/columns';
import { titleOf } from '../model/display';
import { isMoney, type ModelIndex } from '../model/model';
import type { Document, Kind } from '../model/types';
import { humanize, valueAt } from '../model/values';
import { Button, IconButton } from '../ui/Button';
import { DataTable, type TableColumn } from '../ui/DataTable';
import { EmptyState, ErrorState, Skeleton } from '../ui/Feedback';
import { Select, TextField } from '../ui/Field';
import { Icon } from '../ui/Icon';
import { ValueCell } from '../ui/ValueCell';
import { useWords } from '../ui/texts';
import { BulkBar } from './BulkBar';
import { ColumnChooser, pathLabel } from './ColumnChooser';
import { ExportButton } from './ExportButton';
import { OFFSET_MAX, useListPage } from './list-data';
import { LIMITS, useListState, type ListState } from './list-state';
import { PredicateField } from './PredicateField';
import { useListTexts } from './texts';
import { ViewTabs } from './ViewTabs';

const NUMBERS = new Set(['Int', 'Long', 'Float']);

/** The columns of a table, from paths. The first one is the link to the document. */
function useTableColumns(kind: Kind, columns: string[]): TableColumn<Document>[] {
  const model = useModel();
  const { key } = useProject();
  const { languages } = useProjectSettings();
  const { language } = usePreferences();
  return useMemo(() => {
    const choices = new Map(columnChoices(model, kind).map((choice) => [choice.path, choice]));
    const { cells = {}, ownColumns = {}, labels = {} } = screensOf(kind);
    const sortLanguage = languages.find((one) => one.startsWith(language)) ?? languages[0] ?? 'en';
    return columns.flatMap((path, at): TableColumn<Document>[] => {
      const choice = choices.get(path);
      const own = cells[path];
      const ofArea = ownColumns[path];
      if (ofArea && own) return [{ id: path, ...ofArea, header: ofArea.label[language], cell: own }];
      if (!choice) return [];
      const end = isMoney(choice.field) || (NUMBERS.has(choice.field.type) && choice.field.list === 0);
      const inner = (document: Document) => own?.(document) ?? <ValueCell field={choice.field} value={valueAt(document, path)} />;
      return [
        {
          id: path,
          header: labels[path]?.[language] ?? pathLabel(path, columns),
          align: end ? 'end' : undefined,
          width: at === 0 ? (own ? 260 : 210) : widthOf(model, choice.field.type, end),
          sort: sortPath(model, choice, sortLanguage),
          cell:
            at === 0
              ? (document) => (
                  <Link href={paths.document(key, kind, document.id)} className="cell-title">
                    {valueAt(document, path) === undefined ? titleOf(kind, document, language) : inner(document)}
                  </Link>
                )
              : inner,
        },
      ];
    });
  }, [model, kind, columns, languages, language, key]);
}

function widthOf(model: ModelIndex, type: string, end: boolean): number {
  if (end) return 115;
  if (type === 'Boolean') return 105;
  if (type === 'DateTime') return 140;
  return model.enumOf(type) ? 125 : 160;
}

/** The list of any kind. */
export function ListPage({ kind }: { kind: Kind }) {
  const label = useKindLabel();
  const { key } = useProject();
  const model = useModel();
  const { mayManage } = useKind(kind.name);
  const { languages } = useProjectSettings();
  const [state, change] = useListState();
  const [, navigate] = useLocation();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const screens = screensOf(kind);
  const choices = useMemo(() => columnChoices(model, kind), [model, kind]);
  const standard = useMemo(() => screens.columns ?? defaultColumns(model, kind), [model, kind, screens.columns]);
  const columns = state.columns ?? standard;
  const sorted = useMemo(() => ({ ...state, sort: state.sort || screens.sort || '' }), [state, screens.sort]);
  const findable = useMemo(() => hasTextSearch(model, kind), [model, kind]);
  const page = useListPage(kind, sorted, languages);
  const tableColumns = useTableColumns(kind, columns);
  usePageTitle(label(kind));
  const filter = useRef<HTMLDivElement>(null);
  useShortcuts(
    useMemo(
      () => ({
        '/': () =>
          (
            filter.current?.querySelector<HTMLElement>('input') ??
            filter.current?.querySelector('.code')?.shadowRoot?.querySelector<HTMLElement>('.cm-content')
          )?.focus(),
        ...(mayManage && kind.operations.includes('create') ? { n: () => navigate(paths.create(key, kind)) } : {}),
      }),
      [mayManage, kind, key, navigate],
    ),
  );
  const rows = page.data?.results ?? NO_ROWS;
  const mayDelete = mayManage && kind.operations.includes('delete');
  const maySelect = mayDelete || (mayManage && screens.bulkActions !== undefined);
  const open = useCallback((document: Document) => navigate(paths.document(key, kind, document.id)), [navigate, key, kind]);
  return (
    <div className="page page-fill">
      <div className="list-top">
        <ListHead
          kind={kind}
          total={page.data?.total}
          isFetching={page.isFetching}
          onRefresh={() => void page.refetch()}
          where={state.where}
          columns={columns.filter((path) => choices.some((choice) => choice.path === path))}
        />
        <ViewTabs kind={kind} state={state} onOpen={(view) => navigate(`${paths.list(key, kind)}${view}`, { replace: true })} />
        <div className="filter-row" ref={filter}>
          {findable && (
            <TextSearch
              label={label(kind)}
              hint={searchFields(kind).length > 0 ? undefined : findHint(model, kind)}
              value={state.text}
              onChange={(text) => change({ text })}
            />
          )}
          <PredicateField kind={kind} value={state.where} onApply={useCallback((where: string) => change({ where }), [change])} />
          <ColumnChooser
            choices={choices}
            columns={columns}
            onChange={(next) => change({ columns: next })}
            onReset={() => change({ columns: undefined })}
          />
        </div>
        {selected.size > 0 && (
          <BulkBar
            kind={kind}
            documents={rows.filter((document) => selected.has(document.id))}
            mayDelete={mayDelete}
            onDone={() => setSelected(new Set())}
          />
        )}
      </div>
      {page.error && !page.data ? (
        <ErrorState error={page.error} onRetry={() => void page.refetch()} />
      ) : !page.data ? (
        <Skeleton lines={12} />
      ) : (
        <DataTable
          label={label(kind)}
          rows={rows}
          columns={tableColumns}
          rowId={rowId}
          sort={sorted.sort}
          onSort={(sort) => change({ sort })}
          onOpen={open}
          total={page.data.total}
          firstRow={page.data.offset}
          selected={maySelect ? selected : undefined}
          onSelect={maySelect ? setSelected : undefined}
          isStale={page.isPlaceholderData}
          empty={<Empty kind={kind} state={state} onClear={() => change({ where: '', text: '' })} />}
        />
      )}
      <Pager state={state} total={page.data?.total} count={rows.length} onChange={change} />
    </div>
  );
}

const NO_ROWS: Document[] = [];
const rowId = (document: Document) => document.id ?? JSON.stringify(document);

function ListHead({
  kind,
  total,
  isFetching,
  onRefresh,
  where,
  columns,
}: {
  kind: Kind;
  total?: number;
  isFetching: boolean;
  onRefresh: () => void;
  where: string;
  columns: string[];
}) {
  const t = useListTexts();
  const label = useKindLabel();
  const { key } = useProject();
  const { mayManage } = useKind(kind.name);
  const { language } = usePreferences();
  const Actions = screensOf(kind).listActions;
  return (
    <div className="page-head">
      <h1>
        {label(kind)} {total !== undefined && <span className="page-count numbers">{total.toLocaleString(language)}</span>}
      </h1>
      <div className="page-actions">
        <IconButton icon="refresh" label={t('refresh')} onPress={onRefresh} isPending={isFetching} />
        <ExportButton kind={kind} where={where} columns={columns} />
        {Actions && (
          <Suspense>
            <Actions kind={kind} />
          </Suspense>
        )}
        {mayManage && kind.operations.includes('create') && kind.draft && (
          <Link className="button button-primary" href={paths.create(key, kind)}>
            <Icon name="plus" />
            {t('newOne', { name: kindName(kind) })}
          </Link>
        )}
      </div>
    </div>
  );
}

/** The names by which documents without a search are found. */
function findHint(model: ModelIndex, kind: Kind): string {
  return lookupFields(model, kind)
    .map((path) => humanize(path.split('.').at(-1)!).toLowerCase())
    .slice(0, 3)
    .join(', ');
}

function TextSearch({
  label,
  hint,
  value,
  onChange,
}: {
  label: string;
  hint?: string;
  value: string;
  onChange: (text: string) => void;
}) {
  const t = useListTexts();
  const [text, setText] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  // Otherwise a search that begins after a click on a row would lead back to the list.
  useEffect(() => () => clearTimeout(timer.current), []);
  const update = (next: string) => {
    setText(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => onChange(next.trim()), 250);
  };
  return (
    <div className="filter-text">
      <TextField
        type="search"
        aria-label={t('textSearch', { name: label })}
        placeholder={hint ? t('exactly', { names: hint }) : t('textSearch', { name: label })}
        value={text}
        onChange={update}
      />
    </div>
  );
}

function Empty({ kind, state, onClear }: { kind: Kind; state: ListState; onClear: () => void }) {
  const t = useListTexts();
  const label = useKindLabel();
  const { key } = useProject();
  const { mayManage } = useKind(kind.name);
  if (state.where || state.text)
    return (
      <EmptyState icon="search" title={t('noHitTitle')} action={<Button onPress={onClear}>{t('clearFilter')}</Button>}>
        {t('noHitHint')}
      </EmptyState>
    );
  const create = mayManage && kind.operations.includes('create') && kind.draft;
  return (
    <EmptyState
      icon="content"
      title={t('noneTitle', { name: label(kind) })}
      action={
        create && (
          <Link className="button button-primary" href={paths.create(key, kind)}>
            <Icon name="plus" />
            {t('newOne', { name: kindName(kind) })}
          </Link>
        )
      }
    >
      <p>{kind.description?.split('\n').join(' ')}</p>
      {create && <p>{t('noneHint', { path: kind.path })}</p>}
    </EmptyState>
  );
}

function Pager({
  state,
  total,
  count,
  onChange,
}: {
  state: ListState;
  total?: number;
  count: number;
  onChange: (change: Partial<ListState>) => void;
}) {
  const t = useListTexts();
  const words = useWords();
  const from = state.page * state.limit + (count > 0 ? 1 : 0);
  const to = state.page * state.limit + count;
  const next = (state.page + 1) * state.limit;
  const isLast = total !== undefined ? next >= total : count < state.limit;
  return (
    <div className="pager">
      <span className="numbers" role="status">
        {total === undefined ? t('pageOpen', { from, to }) : t('page', { from, to, total })}
      </span>
      {next > OFFSET_MAX && !isLast && <span className="muted">{t('deep')}</span>}
      <span className="row push">
        <Select
          small
          aria-label={t('rows')}
          value={String(state.limit)}
          options={LIMITS.map((limit) => ({ id: String(limit), label: t('perPage', { count: limit }) }))}
          onChange={(limit) => onChange({ limit: Number(limit) })}
        />
        <IconButton
          icon="left"
          label={words('previous')}
          isDisabled={state.page === 0}
          onPress={() => onChange({ page: state.page - 1 })}
        />
        <IconButton
          icon="right"
          label={words('next')}
          isDisabled={isLast || next > OFFSET_MAX}
          onPress={() => onChange({ page: state.page + 1 })}
        />
      </span>
    </div>
  );
}

import {
  columnResizingFeature,
  columnSizingFeature,
  rowSelectionFeature,
  tableFeatures,
  useTable,
  type ColumnDef,
  type RowSelectionState,
} from '@tanstack/react-table';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useMemo, useRef, useState, type KeyboardEvent, type MouseEvent, type ReactNode } from 'react';
import { useShortcuts } from '../app/keyboard';
import { Checkbox } from './Field';
import { Icon } from './Icon';
import { useWords } from './texts';

const features = tableFeatures({ columnSizingFeature, columnResizingFeature, rowSelectionFeature });

export interface TableColumn<T> {
  id: string;
  header: ReactNode;
  cell: (row: T) => ReactNode;
  /** The path in the sort expression; absent: the column cannot be sorted. */
  sort?: string;
  align?: 'end';
  width?: number;
}

export interface DataTableProps<T> {
  label: string;
  rows: T[];
  columns: TableColumn<T>[];
  rowId: (row: T) => string;
  /** `name asc` */
  sort?: string;
  onSort?: (sort: string) => void;
  /** Opens a row: click, or Enter on the active row. */
  onOpen?: (row: T) => void;
  selected?: ReadonlySet<string>;
  onSelect?: (selected: Set<string>) => void;
  empty?: ReactNode;
  isStale?: boolean;
  /** The number of rows of all pages, for screen readers. */
  total?: number;
  firstRow?: number;
}

const ROW_HEIGHT = matchMedia('(pointer: coarse)').matches ? 44 : 36;
const WIDTH_MIN = 60;
const WIDTH_NORMAL = 160;

/** A table with virtual rows, a header that stays, columns that can be resized, and keys: j and k move, x selects, Enter opens. */
export function DataTable<T extends object>(props: DataTableProps<T>) {
  const { rows: data, columns, rowId, selected, onSelect, onOpen } = props;
  const scroll = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState(-1);
  const definitions = useMemo<ColumnDef<typeof features, T>[]>(
    () =>
      columns.map((column) => ({
        id: column.id,
        accessorFn: (row: T) => row,
        size: column.width ?? WIDTH_NORMAL,
        minSize: WIDTH_MIN,
      })),
    [columns],
  );
  const rowSelection = useMemo<RowSelectionState>(
    () => Object.fromEntries([...(selected ?? [])].map((id) => [id, true as const])),
    [selected],
  );
  const table = useTable({
    features,
    columns: definitions,
    data,
    getRowId: rowId,
    state: { rowSelection },
    columnResizeMode: 'onChange',
    enableRowSelection: !!onSelect,
    onRowSelectionChange: (update) => {
      const next = typeof update === 'function' ? update(rowSelection) : update;
      onSelect?.(new Set(Object.keys(next)));
    },
  });
  const rows = table.getRowModel().rows;
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 12,
    getItemKey: (at) => rows[at]?.id ?? at,
  });
  useEffect(() => setActive(-1), [data]);
  const shortcuts = useMemo(() => {
    const move = (by: number) => () => {
      const next = Math.max(0, Math.min(rows.length - 1, active + by));
      setActive(next);
      virtualizer.scrollToIndex(next);
    };
    const at = rows[active];
    return {
      j: move(1),
      k: move(-1),
      ...(at ? { x: () => at.toggleSelected() } : {}),
      ...(at && onOpen
        ? {
            Enter: (event: globalThis.KeyboardEvent) => {
              if (!(event.target as HTMLElement).closest('a, button')) onOpen(at.original);
            },
          }
        : {}),
    };
  }, [rows, active, onOpen, virtualizer]);
  useShortcuts(shortcuts);
  const items = virtualizer.getVirtualItems();
  const before = items[0]?.start ?? 0;
  const after = virtualizer.getTotalSize() - (items.at(-1)?.end ?? 0);
  const byId = new Map(columns.map((column) => [column.id, column]));
  const open = (row: T) => (event: MouseEvent) => {
    if (!onOpen || (event.target as HTMLElement).closest('a, button, label, input') || getSelection()?.toString()) return;
    onOpen(row);
  };
  const spanned = columns.length + (onSelect ? 1 : 0);
  return (
    <div
      className="table-scroll"
      ref={scroll}
      tabIndex={0}
      role="region"
      aria-label={props.label}
      data-stale={props.isStale || undefined}
    >
      <table
        className="table"
        aria-rowcount={props.total ?? rows.length}
        style={{ width: table.getTotalSize() + (onSelect ? 40 : 0) }}
      >
        <colgroup>
          {onSelect && <col style={{ width: 40 }} />}
          {table.getFlatHeaders().map((header) => (
            <col key={header.id} style={{ width: header.getSize() }} />
          ))}
          <col />
        </colgroup>
        <thead>
          <tr>
            {onSelect && (
              <th className="table-select">
                <SelectAll
                  all={table.getIsAllRowsSelected()}
                  some={table.getIsSomeRowsSelected()}
                  onChange={(value) => table.toggleAllRowsSelected(value)}
                />
              </th>
            )}
            {table.getFlatHeaders().map((header) => (
              <HeaderCell
                key={header.id}
                column={byId.get(header.column.id)!}
                sort={props.sort}
                onSort={props.onSort}
                onResize={header.getResizeHandler()}
                isResizing={header.column.getIsResizing()}
              />
            ))}
            <td className="table-rest" aria-hidden="true" />
          </tr>
        </thead>
        <tbody>
          {before > 0 && (
            <tr aria-hidden="true">
              <td colSpan={spanned} style={{ height: before, padding: 0, border: 0 }} />
            </tr>
          )}
          {items.map((item) => {
            const row = rows[item.index];
            if (!row) return null;
            return (
              <tr
                key={row.id}
                className="table-row"
                data-active={item.index === active || undefined}
                data-selected={row.getIsSelected() || undefined}
                data-clickable={!!onOpen || undefined}
                aria-rowindex={(props.firstRow ?? 0) + item.index + 1}
                onClick={open(row.original)}
                onMouseDown={() => setActive(item.index)}
                style={{ height: ROW_HEIGHT }}
              >
                {onSelect && (
                  <td className="table-select">
                    <SelectRow selected={row.getIsSelected()} onChange={(value) => row.toggleSelected(value)} />
                  </td>
                )}
                {columns.map((column, at) => (
                  <td key={column.id} className={`${at === 0 ? 'table-first' : ''}${column.align === 'end' ? ' table-end' : ''}`}>
                    <div className="cell">{column.cell(row.original)}</div>
                  </td>
                ))}
                <td aria-hidden="true" />
              </tr>
            );
          })}
          {after > 0 && (
            <tr aria-hidden="true">
              <td colSpan={spanned} style={{ height: after, padding: 0, border: 0 }} />
            </tr>
          )}
        </tbody>
      </table>
      {rows.length === 0 && props.empty}
    </div>
  );
}

function SelectAll({ all, some, onChange }: { all: boolean; some: boolean; onChange: (value: boolean) => void }) {
  const t = useWords();
  return <Checkbox aria-label={t('selectAll')} isSelected={all} isIndeterminate={some && !all} onChange={onChange} />;
}

function SelectRow({ selected, onChange }: { selected: boolean; onChange: (value: boolean) => void }) {
  const t = useWords();
  return <Checkbox aria-label={t('selectRow')} isSelected={selected} onChange={onChange} />;
}

function HeaderCell<T>({
  column,
  sort,
  onSort,
  onResize,
  isResizing,
}: {
  column: TableColumn<T>;
  sort?: string;
  onSort?: (sort: string) => void;
  onResize: (event: unknown) => void;
  isResizing: boolean;
}) {
  const [by, direction] = sort?.split(' ') ?? [];
  const sorted =
    column.sort !== undefined && by === column.sort ? (direction === 'desc' ? 'descending' : 'ascending') : undefined;
  const next = `${column.sort} ${sorted === 'ascending' ? 'desc' : 'asc'}`;
  const stop = (event: MouseEvent | KeyboardEvent) => event.stopPropagation();
  return (
    <th
      aria-sort={sorted ?? (column.sort ? 'none' : undefined)}
      className={column.align === 'end' ? 'table-end' : undefined}
      scope="col"
    >
      {column.sort && onSort ? (
        <button type="button" className="table-sort" onClick={() => onSort(next)}>
          <span className="truncate">{column.header}</span>
          {sorted && <Icon name={sorted === 'ascending' ? 'up' : 'down'} size={12} />}
        </button>
      ) : (
        <span className="table-head truncate">{column.header}</span>
      )}
      <span
        className="table-resize"
        data-resizing={isResizing || undefined}
        onMouseDown={onResize}
        onTouchStart={onResize}
        onClick={stop}
        aria-hidden="true"
      />
    </th>
  );
}

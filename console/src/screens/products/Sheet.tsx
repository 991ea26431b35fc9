import {
  memo,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
  type ClipboardEvent,
  type KeyboardEvent,
  type ReactNode,
} from 'react';
import {
  bounds,
  cellRange,
  moved,
  placeTexts,
  textsOf,
  type Cell,
  type Range,
  type SheetColumn,
  type Write,
} from './sheet-state';
import { parseTsv, toTsv } from './sheet-text';
import { useProductTexts } from './texts';
import './sheet.css';

export interface SheetProps<R> {
  label: string;
  rows: R[];
  columns: SheetColumn<R>[];
  rowId: (row: R, at: number) => string;
  /** Renders the first cell of a row. */
  rowHead: (row: R, at: number) => ReactNode;
  range: Range;
  onRange: (range: Range) => void;
  /** Absent: the sheet is read only. */
  onWrite?: (writes: Write[]) => void;
  onUndo: () => void;
  onRedo: () => void;
  /** Receives a message about the part of a paste or a typed text that was not applied. */
  onNote: (note: string | undefined) => void;
}

const PAGE_ROWS = 15;

/** Cells that are edited like a spreadsheet: arrows, Enter, Escape, ranges, copy and paste, fill down, undo. */
export function Sheet<R>(props: SheetProps<R>) {
  const t = useProductTexts();
  const { rows, columns, range, onRange, onWrite, onNote } = props;
  const [editing, setEditing] = useState<{ cell: Cell; text: string }>();
  const table = useRef<HTMLTableElement>(null);
  const hasFocus = useRef(false);
  const listId = useId();
  const active = range.anchor;
  const box = bounds(range);
  const focusCell = ({ row, column }: Cell) =>
    table.current?.querySelector<HTMLElement>(`[data-row="${row}"][data-column="${column}"]`)?.focus({ preventScroll: true });
  useLayoutEffect(() => {
    if (!hasFocus.current || editing) return;
    focusCell(range.anchor);
    scrollTo(table.current, range.focus);
  }, [range, editing]);

  const write = (texts: string[][], at: Range, keepRange = false) => {
    if (!onWrite) return;
    const placed = placeTexts(texts, at, rows, columns);
    if (placed.writes.length > 0) onWrite(placed.writes);
    if (!keepRange) onRange(placed.range);
    onNote(
      placed.error !== undefined
        ? t('notPlaced', { count: placed.errors, error: placed.error })
        : placed.left > 0
          ? t('outside', { count: placed.left })
          : undefined,
    );
  };
  const startEditing = (text?: string) => {
    const column = columns[active.column];
    const row = rows[active.row];
    if (!onWrite || !column || column.isReadOnly || row === undefined) return;
    onRange(cellRange(active));
    setEditing({ cell: active, text: text ?? column.text(row) });
  };
  const commit = (text: string, then: string | undefined) => {
    if (!editing) return false;
    const { cell } = editing;
    const column = columns[cell.column]!;
    const parsed = column.parse?.(text.trim());
    if (parsed && 'error' in parsed) {
      onNote(`${column.label}: ${parsed.error}`);
      return false;
    }
    setEditing(undefined);
    onNote(undefined);
    if (parsed && text !== column.text(rows[cell.row]!)) onWrite?.([{ row: cell.row, column: column.id, value: parsed.value }]);
    const next = then && moved(then, cell, rows.length, columns.length, false, PAGE_ROWS);
    if (next) onRange(cellRange(next));
    return true;
  };
  const fillDown = () => {
    const above = box.top === box.bottom && box.top > 0 ? box.top - 1 : box.top;
    const first = textsOf({ anchor: { row: above, column: box.start }, focus: { row: above, column: box.end } }, rows, columns);
    const from = above === box.top ? box.top + 1 : box.top;
    if (from > box.bottom) return;
    write(first, { anchor: { row: from, column: box.start }, focus: { row: box.bottom, column: box.end } }, true);
  };
  const command = (event: KeyboardEvent): boolean => {
    switch (event.key.toLowerCase()) {
      case 'd':
        fillDown();
        return true;
      case 'z':
        (event.shiftKey ? props.onRedo : props.onUndo)();
        return true;
      case 'y':
        props.onRedo();
        return true;
      case 'a':
        onRange({ anchor: { row: 0, column: 0 }, focus: { row: rows.length - 1, column: columns.length - 1 } });
        return true;
      default:
        return false;
    }
  };
  const press = (event: KeyboardEvent) => {
    if (editing) return;
    const mod = event.ctrlKey || event.metaKey;
    const from = event.shiftKey ? range.focus : active;
    const next = moved(event.key, from, rows.length, columns.length, mod, PAGE_ROWS);
    let handled = true;
    if (next) onRange(event.shiftKey ? { anchor: range.anchor, focus: next } : cellRange(next));
    else if (mod) handled = command(event);
    else if (event.key === 'Enter' || event.key === 'F2') startEditing();
    else if (event.key === 'Delete' || event.key === 'Backspace') write([['']], range, true);
    else if (event.key === 'Escape') onRange(cellRange(active));
    else if (event.key.length === 1 && !event.altKey) startEditing(event.key);
    else handled = false;
    if (!handled) return;
    event.preventDefault();
    event.stopPropagation();
  };
  const copy = (event: ClipboardEvent) => {
    if (editing) return;
    event.clipboardData.setData('text/plain', toTsv(textsOf(range, rows, columns)));
    event.preventDefault();
  };
  const paste = (event: ClipboardEvent) => {
    if (editing) return;
    const texts = parseTsv(event.clipboardData.getData('text/plain'));
    event.preventDefault();
    if (texts.length > 0) write(texts, range);
  };
  const pointed = (target: EventTarget): Cell | undefined => {
    const cell = (target as HTMLElement).closest<HTMLElement>('[data-row]');
    return cell ? { row: Number(cell.dataset.row), column: Number(cell.dataset.column) } : undefined;
  };
  const fixed = columns.findIndex((column) => column.isFixed);
  return (
    <div className="sheet-scroll" role="region" aria-label={props.label}>
      <table
        ref={table}
        className="sheet"
        role="grid"
        aria-label={props.label}
        aria-multiselectable
        aria-readonly={!onWrite || undefined}
        style={{ width: columns.reduce((sum, column) => sum + column.width, HEAD_WIDTH) }}
        onKeyDown={press}
        onCopy={copy}
        onCut={(event) => {
          copy(event);
          write([['']], range, true);
        }}
        onPaste={paste}
        onFocus={() => (hasFocus.current = true)}
        onBlur={(event) => (hasFocus.current = event.currentTarget.contains(event.relatedTarget))}
        onMouseDown={(event) => {
          const cell = event.button === 0 ? pointed(event.target) : undefined;
          if (!cell || (editing && same(cell, editing.cell))) return;
          event.preventDefault();
          hasFocus.current = true;
          if (cell.column < 0) {
            const anchor = { row: event.shiftKey ? active.row : cell.row, column: 0 };
            onRange({ anchor, focus: { row: cell.row, column: columns.length - 1 } });
            focusCell(anchor);
          } else {
            onRange(event.shiftKey ? { anchor: range.anchor, focus: cell } : cellRange(cell));
            focusCell(event.shiftKey ? range.anchor : cell);
          }
        }}
        onMouseOver={(event) => {
          const cell = event.buttons === 1 && hasFocus.current && !editing ? pointed(event.target) : undefined;
          if (cell && cell.column >= 0 && !same(cell, range.focus)) onRange({ anchor: range.anchor, focus: cell });
        }}
        onDoubleClick={(event) => pointed(event.target) && startEditing()}
      >
        <colgroup>
          <col style={{ width: HEAD_WIDTH }} />
          {columns.map((column) => (
            <col key={column.id} style={{ width: column.width }} />
          ))}
        </colgroup>
        <thead>
          <tr>
            <td className="sheet-corner" />
            {columns.map((column, at) => (
              <th
                key={column.id}
                scope="col"
                className={`${column.end ? 'sheet-end' : ''}${at === fixed ? ' sheet-fixed' : ''}`}
                data-within={(at >= box.start && at <= box.end) || undefined}
                title={[column.label, column.hint].filter(Boolean).join(' · ')}
                onClick={() => onRange({ anchor: { row: 0, column: at }, focus: { row: rows.length - 1, column: at } })}
              >
                <span className="truncate">{column.label}</span>
                {column.hint && <span className="sheet-hint truncate">{column.hint}</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <SheetRow
              key={props.rowId(row, at)}
              row={row}
              at={at}
              columns={columns}
              fixed={fixed}
              head={props.rowHead}
              active={active.row === at ? active.column : -1}
              start={at >= box.top && at <= box.bottom ? box.start : -1}
              end={at >= box.top && at <= box.bottom ? box.end : -1}
              editing={editing?.cell.row === at ? editing : undefined}
              commit={editing?.cell.row === at ? commit : undefined}
              cancel={editing?.cell.row === at ? () => setEditing(undefined) : undefined}
              listId={listId}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

const HEAD_WIDTH = 58;
const same = (a: Cell, b: Cell) => a.row === b.row && a.column === b.column;

/** Brings a cell into the part of the sheet that its header and first columns leave. */
function scrollTo(table: HTMLTableElement | null, { row, column }: Cell): void {
  const cell = table?.querySelector<HTMLElement>(`[data-row="${row}"][data-column="${column}"]`);
  const area = table?.parentElement;
  if (!cell || !area) return;
  cell.scrollIntoView({ block: 'nearest', inline: 'nearest' });
}

interface RowProps<R> {
  row: R;
  at: number;
  columns: SheetColumn<R>[];
  fixed: number;
  head: (row: R, at: number) => ReactNode;
  active: number;
  start: number;
  end: number;
  editing?: { cell: Cell; text: string };
  commit?: (text: string, then: string | undefined) => boolean;
  cancel?: () => void;
  listId: string;
}

const SheetRow = memo(function SheetRow<R>(props: RowProps<R>) {
  const { row, at, columns, active, start, end, editing } = props;
  return (
    <tr>
      <th scope="row" className="sheet-head" data-row={at} data-column={-1} data-within={start >= 0 || undefined}>
        {props.head(row, at)}
      </th>
      {columns.map((column, index) => {
        const isEdited = editing?.cell.column === index;
        return (
          <td
            key={column.id}
            role="gridcell"
            data-row={at}
            data-column={index}
            tabIndex={index === active ? 0 : -1}
            aria-selected={index >= start && index <= end && start >= 0}
            aria-readonly={column.isReadOnly || undefined}
            data-active={index === active || undefined}
            data-changed={column.isChanged?.(row) || undefined}
            className={`${column.end ? 'sheet-end' : ''}${index === props.fixed ? ' sheet-fixed' : ''}`}
          >
            {isEdited ? (
              <CellEditor
                text={editing.text}
                label={column.label}
                choices={column.choices}
                listId={props.listId}
                onCommit={props.commit!}
                onCancel={props.cancel!}
              />
            ) : (
              <span className="truncate" dir="auto">
                {column.text(row)}
              </span>
            )}
          </td>
        );
      })}
    </tr>
  );
}) as <R>(props: RowProps<R>) => ReactNode;

/** The field in a cell. Only this field is rendered again while the operator types. */
function CellEditor({
  text: initial,
  label,
  choices,
  listId,
  onCommit,
  onCancel,
}: {
  text: string;
  label: string;
  choices?: string[];
  listId: string;
  onCommit: (text: string, then: string | undefined) => boolean;
  onCancel: () => void;
}) {
  const [text, setText] = useState(initial);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    field.current?.focus();
    field.current?.setSelectionRange(initial.length, initial.length);
  }, [initial]);
  const press = (event: KeyboardEvent) => {
    const then = event.key === 'Enter' ? (event.shiftKey ? 'ArrowUp' : 'ArrowDown') : event.shiftKey ? 'ArrowLeft' : 'ArrowRight';
    if (event.key === 'Enter' || event.key === 'Tab') onCommit(text, then);
    else if (event.key === 'Escape') onCancel();
    else {
      if (!(event.ctrlKey || event.metaKey)) event.stopPropagation();
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <>
      <input
        ref={field}
        className="sheet-input"
        aria-label={label}
        value={text}
        list={choices ? listId : undefined}
        dir="auto"
        onChange={(event) => setText(event.target.value)}
        onKeyDown={press}
        onBlur={() => onCommit(text, undefined) || onCancel()}
      />
      {choices && (
        <datalist id={listId}>
          {choices.map((choice) => (
            <option key={choice} value={choice} />
          ))}
        </datalist>
      )}
    </>
  );
}

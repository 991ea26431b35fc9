import type { Json } from '../../model/types';

/** A column of a sheet. Values are read and written as JSON, and shown, typed and copied as text. */
export interface SheetColumn<R> {
  id: string;
  label: string;
  width: number;
  /** The unit or restriction under the label. */
  hint?: string;
  end?: boolean;
  /** Stays in view when the sheet scrolls. */
  isFixed?: boolean;
  isReadOnly?: boolean;
  text: (row: R) => string;
  /** The value that a typed text means, or why it means none. */
  parse?: (text: string) => { value: Json | undefined } | { error: string };
  /** Texts that the editor offers. */
  choices?: string[];
  isChanged?: (row: R) => boolean;
}

export interface Cell {
  row: number;
  column: number;
}

/** A range of cells between two corners; `focus` moves. */
export interface Range {
  anchor: Cell;
  focus: Cell;
}

export interface Write {
  row: number;
  column: string;
  value: Json | undefined;
}

export const cellRange = (cell: Cell): Range => ({ anchor: cell, focus: cell });

export const bounds = ({ anchor, focus }: Range) => ({
  top: Math.min(anchor.row, focus.row),
  bottom: Math.max(anchor.row, focus.row),
  start: Math.min(anchor.column, focus.column),
  end: Math.max(anchor.column, focus.column),
});

const clamp = (value: number, max: number) => Math.max(0, Math.min(max, value));

/** The cell to which a key moves, or `undefined` for other keys. */
export function moved(
  key: string,
  { row, column }: Cell,
  rows: number,
  columns: number,
  toEdge: boolean,
  page: number,
): Cell | undefined {
  const at = (nextRow: number, nextColumn: number): Cell => ({
    row: clamp(nextRow, rows - 1),
    column: clamp(nextColumn, columns - 1),
  });
  const far = toEdge ? Math.max(rows, columns) : 1;
  switch (key) {
    case 'ArrowDown':
      return at(row + far, column);
    case 'ArrowUp':
      return at(row - far, column);
    case 'ArrowRight':
      return at(row, column + far);
    case 'ArrowLeft':
      return at(row, column - far);
    case 'PageDown':
      return at(row + page, column);
    case 'PageUp':
      return at(row - page, column);
    case 'Home':
      return at(toEdge ? 0 : row, 0);
    case 'End':
      return at(toEdge ? rows - 1 : row, columns - 1);
    default:
      return undefined;
  }
}

export interface Placed {
  writes: Write[];
  /** The first cell whose text means no value. */
  error?: string;
  errors: number;
  /** Cells that are outside of the sheet, or cannot be changed. */
  left: number;
  range: Range;
}

/** Puts texts into cells from the corner of a range on. One text fills a whole range, and a block is repeated in a larger one. */
export function placeTexts<R>(texts: string[][], range: Range, rows: R[], columns: SheetColumn<R>[]): Placed {
  const { top, bottom, start, end } = bounds(range);
  const width = Math.max(1, ...texts.map((row) => row.length));
  const repeat = (size: number, room: number) => (room > size && room % size === 0 ? room : size);
  const height = repeat(texts.length, bottom - top + 1);
  const across = repeat(width, end - start + 1);
  const placed: Placed = {
    writes: [],
    errors: 0,
    left: 0,
    range: {
      anchor: { row: top, column: start },
      focus: { row: clamp(top + height - 1, rows.length - 1), column: clamp(start + across - 1, columns.length - 1) },
    },
  };
  for (let down = 0; down < height; down++)
    for (let right = 0; right < across; right++) {
      const text = texts[down % texts.length]?.[right % width];
      if (text === undefined) continue;
      const column = columns[start + right];
      const row = top + down;
      if (!column || row >= rows.length || column.isReadOnly || !column.parse) {
        placed.left += 1;
        continue;
      }
      const parsed = column.parse(text.trim());
      if ('error' in parsed) {
        placed.errors += 1;
        placed.error ??= `${column.label}: ${parsed.error}`;
      } else placed.writes.push({ row, column: column.id, value: parsed.value });
    }
  return placed;
}

/** The texts of a range. */
export function textsOf<R>(range: Range, rows: R[], columns: SheetColumn<R>[]): string[][] {
  const { top, bottom, start, end } = bounds(range);
  return rows.slice(top, bottom + 1).map((row) => columns.slice(start, end + 1).map((column) => column.text(row)));
}

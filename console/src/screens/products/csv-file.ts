import { parseCells, separatorOf } from './sheet-text';

/** A column that an import reads. */
export interface CsvColumn {
  name: string;
  required?: boolean;
  /** Other titles that mean it, in lower case. */
  aliases?: string[];
  /** Returns the problem of a text, if it has one. Empty texts are only checked for `required`. */
  check?: (text: string) => string | undefined;
}

/** A row of the file: its texts by column, and what is wrong with them. */
export interface CsvRow {
  line: number;
  values: Record<string, string>;
  errors: string[];
}

export interface CsvFile {
  rows: CsvRow[];
  /** Titles of the file that no column has. */
  unknown: string[];
  /** Required columns that the file does not have. */
  missing: string[];
}

/** The text of a file: UTF-8 or UTF-16 if it says so or is it, else what spreadsheets on Windows write. */
export function decodeText(bytes: ArrayBuffer): string {
  const [first, second] = new Uint8Array(bytes.slice(0, 2));
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

const plain = (title: string) =>
  title
    .trim()
    .toLowerCase()
    .replace(/[\s_-]+/g, '');

interface CsvWords {
  required: (column: string) => string;
  tooLong: string;
  twice: (line: number) => string;
}

/** Reads a CSV file with titles in its first line, and checks each row. `nameOf` says which rows are about the same thing. */
export function readCsv(
  text: string,
  columns: CsvColumn[],
  nameOf: (values: Record<string, string>) => string,
  words: CsvWords,
): CsvFile {
  const body = text.replace(/^\uFEFF/, '');
  const [head, ...lines] = parseCells(body, separatorOf(body));
  const titles = (head?.cells ?? []).map(plain);
  const places = new Map<string, number>();
  for (const column of columns) {
    const at = titles.findIndex((title) => [column.name, ...(column.aliases ?? [])].some((name) => plain(name) === title));
    if (at >= 0) places.set(column.name, at);
  }
  const used = new Set(places.values());
  const seen = new Map<string, number>();
  const rows = lines
    .filter((line) => line.cells.some((cell) => cell.trim() !== ''))
    .map(({ cells, line }): CsvRow => {
      const values: Record<string, string> = {};
      const errors: string[] = cells.length > titles.length ? [words.tooLong] : [];
      for (const column of columns) {
        const at = places.get(column.name);
        const value = at === undefined ? '' : (cells[at] ?? '').trim();
        values[column.name] = value;
        const error = value === '' ? (column.required ? words.required(column.name) : undefined) : column.check?.(value);
        if (error) errors.push(`${column.name}: ${error}`);
      }
      const name = nameOf(values);
      const other = seen.get(name);
      if (other !== undefined) errors.push(words.twice(other));
      else seen.set(name, line);
      return { line, values, errors };
    });
  return {
    rows,
    unknown: (head?.cells ?? []).filter((title, at) => title.trim() !== '' && !used.has(at)),
    missing: columns.filter((column) => column.required && !places.has(column.name)).map((column) => column.name),
  };
}

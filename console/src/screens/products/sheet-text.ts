/** Cells of a spreadsheet as text with tabs: quotes around cells with tabs, line ends or quotes. */
export function toTsv(rows: string[][]): string {
  const cell = (text: string) => (/["\t\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return rows.map((row) => row.map(cell).join('\t')).join('\n');
}

/** Rows of cells, separated by `separator`. Cells in quotes may contain separators, line ends and doubled quotes. */
export function parseCells(text: string, separator: string): { cells: string[]; line: number }[] {
  const rows: { cells: string[]; line: number }[] = [];
  let cells: string[] = [];
  let cell = '';
  let quoted = false;
  let wasQuoted = false;
  let line = 1;
  let start = 1;
  const endCell = () => {
    cells.push(cell);
    cell = '';
    wasQuoted = false;
  };
  const endRow = () => {
    endCell();
    rows.push({ cells, line: start });
    cells = [];
  };
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!;
    if (char === '\n') line += 1;
    if (quoted) {
      if (char !== '"') cell += char;
      else if (text[at + 1] === '"') {
        cell += '"';
        at += 1;
      } else quoted = false;
    } else if (char === '"' && cell === '' && !wasQuoted) {
      quoted = true;
      wasQuoted = true;
    } else if (char === separator) endCell();
    else if (char === '\n') {
      endRow();
      start = line;
    } else if (char !== '\r') cell += char;
  }
  if (cell !== '' || cells.length > 0 || wasQuoted) endRow();
  return rows;
}

export const parseTsv = (text: string): string[][] => parseCells(text, '\t').map((row) => row.cells);

/** The separator of a file: the one of `,`, `;` and tab that its first line has most often. */
export function separatorOf(text: string): string {
  const [first = ''] = text.split('\n', 1);
  const count = (separator: string) => first.split(separator).length;
  return [',', ';', '\t'].reduce((best, one) => (count(one) > count(best) ? one : best));
}

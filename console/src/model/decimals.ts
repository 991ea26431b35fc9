/** The digits behind the point of a text like `0.25` or `.25`, without zeros at the end. */
export const decimalDigits = (text: string): string => /^0?\.(\d+)$/.exec(text.trim())?.[1]?.replace(/0+$/, '') ?? '';

/** A decimal between two others, with as few digits as there can be. Absent ends are 0 and 1. `undefined` if there is none. */
export function decimalBetween(low: string | undefined, high: string | undefined): string | undefined {
  const from = low === undefined ? '' : decimalDigits(low);
  const to = high === undefined ? undefined : decimalDigits(high);
  if (to !== undefined && from >= to) return undefined;
  let digits = '';
  let isFree = to === undefined;
  for (let at = 0; ; at++) {
    const floor = Number(from[at] ?? 0);
    const ceiling = isFree ? 10 : Number(to![at] ?? 0);
    if (ceiling - floor > 1) return `0.${digits}${Math.floor((floor + ceiling) / 2)}`;
    if (ceiling > floor) isFree = true;
    digits += String(floor);
  }
}

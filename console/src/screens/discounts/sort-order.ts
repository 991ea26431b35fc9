/** Sort orders are texts of decimals between 0 and 1, without a zero at the end. They are compared digit by digit. */
const digitsOf = (order: string): string => /^0?\.(\d+)$/.exec(order.trim())?.[1]?.replace(/0+$/, '') ?? '';

export const isSortOrder = (text: string): boolean => /^0?\.\d*[1-9]$/.test(text.trim());

/** Less than 0 if the first one is smaller. */
export function compareSortOrders(a: string, b: string): number {
  const [left, right] = [digitsOf(a), digitsOf(b)];
  const length = Math.max(left.length, right.length);
  return left.padEnd(length, '0').localeCompare(right.padEnd(length, '0'));
}

/** A short sort order between two others. Without an upper one, up to 1; without a lower one, down to 0. */
export function orderBetween(lower: string | undefined, upper: string | undefined): string {
  const low = lower === undefined ? '' : digitsOf(lower);
  const high = upper === undefined ? undefined : digitsOf(upper);
  let prefix = '';
  let isBelow = high === undefined;
  for (let at = 0; ; at += 1) {
    const from = Number(low[at] ?? 0);
    const to = isBelow ? 10 : Number(high![at] ?? 0);
    const middle = Math.floor((from + to) / 2);
    if (middle > from) return `0.${prefix}${middle}`;
    if (!isBelow && from < to) isBelow = true;
    prefix += String(from);
  }
}

/** A free sort order below all others: a new discount is applied last. */
export function proposedOrder(taken: string[]): string {
  const lowest = [...taken].sort(compareSortOrders)[0];
  return lowest === undefined ? '0.5' : orderBetween(undefined, lowest);
}

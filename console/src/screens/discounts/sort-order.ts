import { decimalBetween, decimalDigits } from '../../model/decimals';

export const isSortOrder = (text: string): boolean => /^0?\.\d*[1-9]$/.test(text.trim());

/** Sort orders are texts of decimals between 0 and 1, without a zero at the end, compared digit by digit. Less than 0 if the first one is smaller. */
export function compareSortOrders(a: string, b: string): number {
  const [left, right] = [decimalDigits(a), decimalDigits(b)];
  const length = Math.max(left.length, right.length);
  return left.padEnd(length, '0').localeCompare(right.padEnd(length, '0'));
}

/** A free sort order below all others: a new discount is applied last. */
export function proposedOrder(taken: string[]): string {
  const lowest = [...taken].sort(compareSortOrders)[0];
  return lowest === undefined ? '0.5' : (decimalBetween(undefined, lowest) ?? '0.5');
}

/** `12.5` or `1.299,50` in the smallest unit of the currency; `undefined` if it is no amount, or has more digits than the currency. */
export function parseAmount(text: string, digits: number): number | undefined {
  const plain = text.trim().replace(/\s/g, '');
  const decimal = Math.max(plain.lastIndexOf(','), plain.lastIndexOf('.'));
  const whole = (decimal < 0 ? plain : plain.slice(0, decimal)).replace(/(?<=\d)[.,](?=\d{3}(\D|$))/g, '');
  const part = decimal < 0 ? '' : plain.slice(decimal + 1);
  if (!/^-?\d+$/.test(whole) || !/^\d*$/.test(part)) return undefined;
  if (/[1-9]/.test(part.slice(digits))) return undefined;
  const amount = Number(whole.replace('-', '')) * 10 ** digits + Number(part.slice(0, digits).padEnd(digits, '0') || 0);
  return whole.startsWith('-') ? -amount : amount;
}

export const amountText = (amount: number, digits: number): string => (amount / 10 ** digits).toFixed(digits);

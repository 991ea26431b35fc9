import type { Client } from '../../api/client';
import { runEach } from '../../api/run-each';
import { download } from '../../list/csv';
import type { JsonObject } from '../../model/types';

/** Without characters that people confuse: 0 and O, 1 and I. */
const ALPHABET = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';
const LENGTH = 8;
const AT_ONCE = 4;

/** Returns a random code that cannot be guessed. */
export function randomCode(prefix: string): string {
  const bytes = crypto.getRandomValues(new Uint8Array(LENGTH));
  const separator = prefix === '' || /[-_]$/.test(prefix) ? '' : '-';
  return prefix + separator + [...bytes].map((byte) => ALPHABET[byte % ALPHABET.length]).join('');
}

export function codesFor(count: number, prefix: string): string[] {
  const codes = new Set<string>();
  while (codes.size < count) codes.add(randomCode(prefix));
  return [...codes];
}

export interface CreatedCodes {
  created: { id: string; code: string; version: number }[];
  failed: { code: string; message: string }[];
}

/** Creates codes, a few at a time, until the signal stops it. */
export async function createCodes(
  client: Client,
  template: JsonObject,
  codes: string[],
  onProgress: (done: number) => void,
  signal: { stopped: boolean } = { stopped: false },
): Promise<CreatedCodes> {
  const result: CreatedCodes = { created: [], failed: [] };
  const create = async (code: string) => {
    try {
      const made = await client.request<{ id: string; code: string; version: number }>('discount-codes', {
        method: 'POST',
        body: { ...template, code },
      });
      result.created.push({ id: made.id, code: made.code, version: made.version });
    } catch (error) {
      result.failed.push({ code, message: error instanceof Error ? error.message : String(error) });
    }
  };
  await runEach(codes, AT_ONCE, create, signal, onProgress);
  return result;
}

/** Lets the browser save codes as a file, one a line. */
export const saveCodes = (codes: string[], name: string): void =>
  download(name, 'text/csv;charset=utf-8', [`code\n${codes.map((code) => `${code}\n`).join('')}`]);

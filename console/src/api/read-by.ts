import type { Document } from '../model/types';
import type { Client } from './client';
import type { Page } from './hooks';

const VALUES_AT_ONCE = 100;
const PAGE_MAX = 500;

/** Documents with a field that has one of some values, read in parts. */
export async function readBy(client: Client, path: string, field: string, values: string[]): Promise<Document[]> {
  const found: Document[] = [];
  const names = [...new Set(values)].filter(Boolean);
  for (let at = 0; at < names.length; at += VALUES_AT_ONCE) {
    const where = `${field} in (${names
      .slice(at, at + VALUES_AT_ONCE)
      .map((name) => JSON.stringify(name))
      .join(', ')})`;
    for (let last = ''; ;) {
      const page = await client.request<Page>(path, {
        query: { where: last ? `${where} and id > "${last}"` : where, sort: 'id asc', limit: PAGE_MAX, withTotal: false },
      });
      found.push(...page.results);
      if (page.results.length < PAGE_MAX) break;
      last = page.results.at(-1)!.id;
    }
  }
  return found;
}

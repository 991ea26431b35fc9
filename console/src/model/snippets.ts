import { asInput } from './draft';
import type { ModelIndex } from './model';
import type { Json, JsonObject, Kind, UpdateAction } from './types';
import { isObject } from './values';

interface SnippetSource {
  origin: string;
  project: string;
  /** The path below the project. */
  path: string;
  service?: string;
  body: object;
}

/** A request as a command line. */
export function curlOf({ origin, project, path, service, body }: SnippetSource): string {
  const url = `${origin}${service ? `/${service}` : ''}/${project}/${path}`;
  return `curl '${url}' \\\n  -H "Authorization: Bearer $TOKEN" \\\n  -H 'Content-Type: application/json' \\\n  -d '${JSON.stringify(body, null, 2).replaceAll("'", `'\\''`)}'`;
}

/** A request with the official TypeScript client. */
export function typescriptOf(kind: Kind, id: string, body: { version: number; actions: UpdateAction[] }): string {
  const method = kind.path
    .split(/[-/]/)
    .map((word, at) => (at === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1)))
    .join('');
  const json = JSON.stringify(body, null, 2)
    .replace(/^(\s*)"([A-Za-z_]\w*)":/gm, '$1$2:')
    .replaceAll('\n', '\n  ');
  const start = kind.singleton ? 'await apiRoot' : `await apiRoot\n  .${method}()\n  .withId({ ID: ${JSON.stringify(id)} })`;
  return `${start}\n  .post({ body: ${json} })\n  .execute();`;
}

const snake = (name: string) => name.replace(/([a-z\d])([A-Z])/g, '$1_$2').toLowerCase();

function hcl(value: Json, indent: string): string {
  if (Array.isArray(value))
    return value.length === 0
      ? '[]'
      : `[\n${value.map((one) => `${indent}  ${hcl(one, `${indent}  `)}`).join(',\n')}\n${indent}]`;
  if (!isObject(value)) return JSON.stringify(value).replaceAll('${', '$${');
  const rows = Object.entries(value).map(
    ([name, one]) => `${indent}  ${/^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name)} = ${hcl(one, `${indent}  `)}`,
  );
  return rows.length === 0 ? '{}' : `{\n${rows.join('\n')}\n${indent}}`;
}

/** The document after the change as a resource of the Terraform provider. Objects are arguments; where the provider has blocks, change `= {` to `{`. */
export function terraformOf(model: ModelIndex, kind: Kind, document: JsonObject): string {
  const draft = kind.draft ? asInput(model, document, { type: kind.draft, list: 0 }) : document;
  const name = snake(String(document.key ?? document.id ?? kind.name))
    .replace(/[^a-z0-9_]/g, '_')
    .replace(/^(\d)/, '_$1');
  const rows = Object.entries(isObject(draft) ? draft : {}).map(([field, value]) => `  ${snake(field)} = ${hcl(value, '  ')}`);
  return `resource "commercetools_${snake(kind.name)}" "${name}" {\n${rows.join('\n')}\n}`;
}

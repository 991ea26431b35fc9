// Compresses the files of `build/` into `crates/console/dist/`, and writes the manifest that the server embeds. The same input gives the
// same bytes. With --check it writes nothing, and fails if the committed files have other contents: versions of Node compress differently.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';

const here = dirname(fileURLToPath(import.meta.url));
const from = join(here, '../build');
const to = join(here, '../../crates/console/dist');
const TOTAL_BYTES_MAX = 800_000;
const types = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

const files = readdirSync(from, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => relative(from, join(entry.parentPath, entry.name)))
  .sort();
if (process.argv.includes('--check')) {
  const committed = readdirSync(to, { recursive: true }).filter((path) => path.endsWith('.gz'));
  const isSame = (path) =>
    committed.includes(`${path}.gz`) && gunzipSync(readFileSync(join(to, `${path}.gz`))).equals(readFileSync(join(from, path)));
  const stale = [
    ...files.filter((path) => !isSame(path)),
    ...committed.map((path) => path.slice(0, -'.gz'.length)).filter((path) => !files.includes(path)),
  ];
  if (stale.length > 0) {
    console.error(`crates/console/dist is out of date; run \`npm run build\` in console/ and commit it: ${stale.join(', ')}`);
    process.exit(1);
  }
  process.exit(0);
}
rmSync(to, { recursive: true, force: true });
let total = 0;
const entries = files.map((path) => {
  const bytes = readFileSync(join(from, path));
  const compressed = gzipSync(bytes, { level: 9 });
  compressed[9] = 255; // The operating system in the header: unknown.
  mkdirSync(dirname(join(to, path)), { recursive: true });
  writeFileSync(join(to, `${path}.gz`), compressed);
  total += compressed.length;
  const contentType = types[path.split('.').pop()];
  if (!contentType) throw new Error(`no content type for ${path}`);
  return {
    path,
    file: `${path}.gz`,
    contentType,
    sha256: createHash('sha256').update(compressed).digest('hex'),
    size: bytes.length,
    compressedSize: compressed.length,
    immutable: path.startsWith('assets/'),
  };
});
writeFileSync(join(to, 'manifest.json'), `${JSON.stringify({ files: entries }, null, 1)}\n`);
const html = readFileSync(join(from, 'index.html'), 'utf8');
const first = entries.filter((entry) => entry.path === 'index.html' || html.includes(entry.path.split('/').pop()));
const sum = (list) => list.reduce((bytes, entry) => bytes + entry.compressedSize, 0);
console.log(`${entries.length} files, ${total} bytes compressed; the page itself ${sum(first)}`);
for (const entry of [...entries].sort((a, b) => b.compressedSize - a.compressedSize).slice(0, 14))
  console.log(`  ${String(entry.compressedSize).padStart(7)}  ${entry.path}`);
if (total > TOTAL_BYTES_MAX) throw new Error(`the console has ${total} bytes, more than ${TOTAL_BYTES_MAX}`);

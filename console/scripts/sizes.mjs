// Prints how much of the build each library is: minified, and compressed on its own.
import { gzipSync } from 'node:zlib';
import { minifySync } from 'rolldown/experimental';
import { build } from 'vite';

const result = await build({ logLevel: 'silent', build: { write: false } });
const packages = new Map();
for (const chunk of result.output) {
  if (chunk.type !== 'chunk') continue;
  for (const [id, module] of Object.entries(chunk.modules)) {
    const name = id.match(/node_modules\/((?:@[^/]+\/)?[^/]+)/)?.[1] ?? 'console';
    const group =
      name.startsWith('@codemirror') || name.startsWith('@lezer') || ['style-mod', 'w3c-keyname', 'crelt'].includes(name)
        ? 'CodeMirror'
        : name.replace(/^react-(aria|stately).*|^@react-.*|^@internationalized.*/, 'React Aria');
    const entry = packages.get(group) ?? { bytes: 0, first: chunk.isEntry };
    const code = module.code ? minifySync(`${id}.js`, module.code).code : '';
    entry.code = (entry.code ?? '') + code;
    packages.set(group, entry);
  }
}
const rows = [...packages].map(([name, { code, first }]) => ({ name, first, bytes: gzipSync(code, { level: 9 }).length }));
for (const { name, first, bytes } of rows.sort((a, b) => b.bytes - a.bytes))
  console.log(`${String(bytes).padStart(8)}  ${name}${first ? '' : ' (loaded later)'}`);

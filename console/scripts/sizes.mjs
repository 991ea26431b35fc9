// Prints how much of the build each library is, compressed on its own.
import { gzipSync } from 'node:zlib';
import { build } from 'vite';

const result = await build({ logLevel: 'silent', build: { write: false, minify: true } });
const packages = new Map();
for (const chunk of result.output) {
  if (chunk.type !== 'chunk') continue;
  for (const [id, module] of Object.entries(chunk.modules)) {
    const name = id.match(/node_modules\/((?:@[^/]+\/)?[^/]+)/)?.[1] ?? 'console';
    const group = name.startsWith('@codemirror') || name.startsWith('@lezer') || ['style-mod', 'w3c-keyname', 'crelt'].includes(name) ? 'CodeMirror' : name.replace(/^react-(aria|stately).*|^@react-.*|^@internationalized.*/, 'React Aria');
    const entry = packages.get(group) ?? { code: '', first: chunk.isEntry };
    entry.code += module.code ?? '';
    packages.set(group, entry);
  }
}
for (const [name, { code, first }] of [...packages].sort((a, b) => b[1].code.length - a[1].code.length)) {
  console.log(`${String(gzipSync(code, { level: 9 }).length).padStart(8)}  ${name}${first ? '' : ' (loaded later)'}`);
}

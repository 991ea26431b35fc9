import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';

const LANGUAGES = ['en-US', 'de-DE'];

/** Leaves out React Aria's texts in languages that the console does not offer. */
function onlyOfferedLanguages(): Plugin {
  return {
    name: 'only-offered-languages',
    enforce: 'pre',
    load(id) {
      const language = id.match(
        /[\\/](?:react-aria|react-stately|@react-aria|@react-stately)[\\/].*[\\/]([a-z]{2}-[A-Z]{2})\.m?js/,
      )?.[1];
      return language && !LANGUAGES.includes(language) ? 'export default {};' : undefined;
    },
  };
}

/**
 * React Aria adds two `<style>` elements, which the Content-Security-Policy refuses. Their rules are in `styles/base.css`, and the calls
 * that add them are removed here. The build fails if a later version adds one elsewhere.
 */
function noStyleElements(): Plugin {
  return {
    name: 'no-style-elements',
    apply: 'build', // In development there is no such policy, and Vite itself adds styles so.
    enforce: 'pre',
    transform(code, id) {
      if (!/node_modules/.test(id) || !/createElement\(['"]style['"]\)/.test(code)) return undefined;
      if (/style-mod/.test(id)) return undefined; // Uses a constructable sheet inside a shadow root: see `editor/`.
      const changed = code.replace(/(document|ownerDocument)\.head\.prepend\(style\);/g, '');
      if (changed === code) this.error(`${id} adds a style element`);
      return { code: changed, map: null };
    },
  };
}

export default defineConfig({
  base: '/console/',
  root: fileURLToPath(new URL('.', import.meta.url)),
  plugins: [onlyOfferedLanguages(), noStyleElements()],
  build: {
    outDir: 'build',
    emptyOutDir: true,
    target: 'es2022',
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    sourcemap: false,
    rolldownOptions: {
      output: {
        // Few larger files compress better than many small ones, and all of these are needed for the first page.
        codeSplitting: {
          groups: [{ name: 'first', tags: ['$initial'] }],
        },
      },
      onwarn: (warning, warn) => {
        if (warning.code !== 'MODULE_LEVEL_DIRECTIVE') warn(warning);
      },
    },
    chunkSizeWarningLimit: 900,
    reportCompressedSize: false,
  },
});

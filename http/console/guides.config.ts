import {defineConfig} from 'vite';

// The script of /docs/guides, one file beside the other pages of the reference. Same input, same bytes.
export default defineConfig({
  esbuild: {legalComments: 'none'},
  build: {
    outDir: '../api/reference/pages',
    emptyOutDir: false,
    target: 'es2022',
    modulePreload: {polyfill: false},
    rollupOptions: {input: 'src/guides/guides.ts', output: {entryFileNames: 'guides.js'}}
  }
});

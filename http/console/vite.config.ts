import {defineConfig} from 'vite';

// Every URL is relative to the page, so the console works under any path prefix. Same input, same bytes.
export default defineConfig({
  root: 'src',
  base: './',
  esbuild: {jsx: 'automatic', jsxImportSource: 'preact', legalComments: 'none'},
  build: {
    outDir: '../dist',
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: {polyfill: false},
    reportCompressedSize: true
  }
});

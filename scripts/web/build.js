// Makes the two bundles out of the packages beside it: render.js for node, and page.html with script, style and font
// inside. Usage: node build.js OUT_DIR
import {createHash} from 'node:crypto';
import {readdirSync, readFileSync, renameSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {build} from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const packages = join(here, 'node_modules');
const out = process.argv[2];

const bundle = async (options) => {
  const result = await build({
    absWorkingDir: here,
    alias: {'vega-canvas': join(packages, 'vega-canvas/build/vega-canvas.browser.js')},  // node's asks for `canvas`
    bundle: true,
    minify: true,
    legalComments: 'none',
    charset: 'ascii',
    write: false,
    metafile: true,
    logLevel: 'warning',
    ...options,
  });
  return {text: result.outputFiles[0].text, inputs: Object.keys(result.metafile.inputs)};
};

// The licence of every package that a bundle contains: the page carries them with the code.
const licences = (inputs) => {
  const names = inputs.map((path) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1]).filter(Boolean);
  return [...new Set(names)].sort().map((name) => {
    const file = readdirSync(join(packages, name)).find((entry) => /^licen[cs]e/i.test(entry));
    return `${name}\n\n${file ? readFileSync(join(packages, name, file), 'utf8').trim() : 'no licence file'}`;
  }).join('\n\n').replaceAll('-->', '-- >');
};

const publish = (name, text) => {
  const file = join(out, name);
  writeFileSync(file + '.tmp', text);
  renameSync(file + '.tmp', file);
};

const font = (weight) =>
  readFileSync(join(packages, `@fontsource/roboto/files/roboto-latin-${weight}-normal.woff`)).toString('base64');
const render = await bundle({
  entryPoints: ['render.js'],
  platform: 'node',
  format: 'esm',
  target: 'node18',
  define: {ROBOTO_WOFF: JSON.stringify({regular: font(400), bold: font(700)})},
});
publish('render.mjs', render.text);

const script = await bundle({entryPoints: ['page.js'], platform: 'browser', format: 'iife', target: 'es2020'});
const style = await bundle({entryPoints: ['page.css'], loader: {'.woff2': 'dataurl'}});
const parts = {
  'style': style.text.trim(),
  'script': script.text,
  'script-hash': `'sha256-${createHash('sha256').update(script.text).digest('base64')}'`,
  'licences': licences([...script.inputs, ...style.inputs]),
};
const page = readFileSync(join(here, 'page.html'), 'utf8')
  .replace(/\{\{build:([a-z-]+)\}\}/g, (_, name) => parts[name]);
publish('page.html', page);

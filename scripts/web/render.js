// Draws a whole set of figures in one go. stdin: [{name, spec}], Vega-Lite; stdout: [{name, svg} or {name, error}].
import {readFileSync, writeFileSync} from 'node:fs';
import {parse, textMetrics, View} from 'vega';
import {compile} from 'vega-lite';
import {embedFont, isBold} from './embed_font.js';
import {advances} from './font_metrics.js';
import {tablesOf} from './woff.js';

const perWeight = (of) => ({regular: of('regular'), bold: of('bold')});
const fonts = perWeight((name) => tablesOf(Buffer.from(ROBOTO_WOFF[name], 'base64')));  // build.js puts the files in
const charWidths = perWeight((name) => advances(fonts[name]));

// Text is measured by the widths of Roboto's characters, as the browser does on the page.
textMetrics.width = ({fontSize, fontWeight}, text) => {
  const widths = isBold(fontWeight) ? charWidths.bold : charWidths.regular;
  let em = 0;
  for (const character of String(text ?? '')) em += widths[character] ?? 1;
  return em * (fontSize ?? 11);
};

// Vega numbers clips and gradients through all that a process draws; here a figure is the same whatever is drawn with it.
function numberedAlone(svg) {
  const next = {clip: 1, gradient_: 0};
  const names = new Map();
  return svg.replace(/(?<=id="|url\(#)(clip|gradient_)\d+(?=[")])/g, (name, kind) => {
    if (!names.has(name)) names.set(name, kind + next[kind]++);
    return names.get(name);
  });
}

async function draw({name, spec}) {
  const problems = [];
  const note = (...args) => (problems.push(args.join(' ')), logger);
  const logger = {level: () => logger, error: note, warn: note, info: () => logger, debug: () => logger};
  try {
    const view = new View(parse(compile(spec, {logger}).spec), {renderer: 'none', logger});
    const svg = embedFont(numberedAlone(await view.toSVG()), fonts);
    view.finalize();
    return problems.length ? {name, error: problems.join('; ')} : {name, svg};
  } catch (error) {
    return {name, error: String(error.message ?? error)};
  }
}

const figures = JSON.parse(readFileSync(0, 'utf8'));
writeFileSync(1, JSON.stringify(await Promise.all(figures.map(draw))));

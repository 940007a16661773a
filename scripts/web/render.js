// Draws a whole set of figures in one go. stdin: [{name, spec}], Vega-Lite; stdout: [{name, svg} or {name, error}].
import {readFileSync, writeFileSync} from 'node:fs';
import {parse, textMetrics, View} from 'vega';
import {compile} from 'vega-lite';

// Text is measured by the widths of Roboto's characters (build.js puts them in), as the browser does on the page.
textMetrics.width = ({fontSize, fontWeight}, text) => {
  const widths = fontWeight === 'bold' || fontWeight >= 600 ? ROBOTO_WIDTHS.bold : ROBOTO_WIDTHS.regular;
  let em = 0;
  for (const character of String(text ?? '')) em += widths[character] ?? 1;
  return em * (fontSize ?? 11);
};

async function draw({name, spec}) {
  const problems = [];
  const note = (...args) => (problems.push(args.join(' ')), logger);
  const logger = {level: () => logger, error: note, warn: note, info: () => logger, debug: () => logger};
  try {
    const view = new View(parse(compile(spec, {logger}).spec), {renderer: 'none', logger});
    const svg = await view.toSVG();
    view.finalize();
    return problems.length ? {name, error: problems.join('; ')} : {name, svg};
  } catch (error) {
    return {name, error: String(error.message ?? error)};
  }
}

const figures = JSON.parse(readFileSync(0, 'utf8'));
writeFileSync(1, JSON.stringify(await Promise.all(figures.map(draw))));

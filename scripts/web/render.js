// Draws a whole set of figures in one go. stdin: [{name, spec}], Vega-Lite; stdout: [{name, svg} or {name, error}].
import {readFileSync, writeFileSync} from 'node:fs';
import {parse, View} from 'vega';
import {compile} from 'vega-lite';

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

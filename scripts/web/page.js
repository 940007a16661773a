// The script of the page: draws the figures out of the JSON in the page, and the table of all rows below them.
import embed from 'vega-embed';
import {showTable} from './table.js';

const data = JSON.parse(document.getElementById('data').textContent);
document.getElementById('source').textContent = data.source;

const dark = matchMedia('(prefers-color-scheme: dark)');

/** The specification in the reader's colours: what names no colour of its own is drawn in the page's. */
function themed(spec) {
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const ink = colour('--ink'), faint = colour('--faint'), line = colour('--line');
  const config = structuredClone(spec.config ?? {});
  const set = (part, values) => (config[part] = {...config[part], ...values});
  config.background = 'transparent';
  set('axis', {labelColor: ink, titleColor: ink, domainColor: faint, tickColor: faint, gridColor: line});
  set('legend', {labelColor: ink, titleColor: ink});
  set('header', {labelColor: ink, titleColor: ink});
  set('title', {color: ink, subtitleColor: faint});
  set('text', {color: ink});
  set('tick', {color: ink});
  return {...spec, config};
}

async function draw({name, title, spec}) {
  const figure = document.createElement('figure');
  figure.id = name;
  const drawing = document.createElement('div');
  drawing.className = 'drawing';
  const caption = document.createElement('figcaption');
  caption.textContent = `${title}. Point at a mark for its numbers; click a legend entry to single it out, click again to undo.`;
  figure.append(drawing, caption);
  document.getElementById('figures').append(figure);

  const show = () => embed(drawing, themed(spec), {
    ast: true,  // expressions are interpreted: the page's security policy allows no eval
    renderer: 'svg',
    actions: {export: true, source: false, compiled: false, editor: false},
    downloadFileName: name,
    tooltip: {theme: dark.matches ? 'dark' : 'light'},
  });
  try {
    await show();
    dark.addEventListener('change', show);
  } catch (error) {
    drawing.className = 'error';
    drawing.textContent = `This figure could not be drawn: ${error.message}`;
    console.error(error);
  }
}

showTable(data.rows, document.getElementById('table'), document.getElementById('filter'));
drawAll(data.figures);

/** One after the other, so that they stand in the order in which the bench names them. */
async function drawAll(figures) {
  // Text is measured when drawn: the embedded font has to be there first.
  await Promise.all(['400', '700'].map((weight) => document.fonts.load(`${weight} 13px Roboto`)));
  for (const figure of figures) await draw(figure);
}

// The script of the page: draws the figures out of the JSON in the page, and the table of all rows below them.
import embed from 'vega-embed';
import {showTable} from './table.js';

const data = JSON.parse(document.getElementById('data').textContent);
document.getElementById('source').textContent = data.source;

const dark = matchMedia('(prefers-color-scheme: dark)');

/** The neutral colours of the figures (benches/harness/figures/theme.cpp) and what they are on the page. */
const neutrals = {
  '#1b1f24': '--ink',
  '#57606a': '--faint',
  '#8c959f': '--faint',
  '#d8dee4': '--line',
  '#ffffff': '--card',
};

/** The specification in the reader's colours, light or dark. */
function themed(spec) {
  const style = getComputedStyle(document.documentElement);
  const colour = (found) => style.getPropertyValue(neutrals[found]);
  return JSON.parse(JSON.stringify(spec).replace(new RegExp(Object.keys(neutrals).join('|'), 'g'), colour));
}

async function draw({name, title, spec}) {
  const figure = document.createElement('figure');
  figure.id = name;
  const drawing = document.createElement('div');
  drawing.className = 'drawing';
  figure.ariaLabel = title;
  figure.append(drawing);
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

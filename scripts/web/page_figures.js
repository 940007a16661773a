// The figures of the page: title and notes as text, which wraps on a narrow screen; the drawing in the reader's colours.
import embed from 'vega-embed';
import {element, folding, scrolling} from './element.js';

const dark = matchMedia('(prefers-color-scheme: dark)');

/** The neutral colours of the figures (benches/harness/figures/theme.cpp) and what they are on the page. */
const neutrals = {
  '#1b1f24': '--ink',
  '#57606a': '--faint',
  '#8c959f': '--faint',
  '#d8dee4': '--line',
  '#ffffff': '--card',
};

/** The specification in the reader's colours, light or dark, and without the title that the page shows as text. */
function themed(spec) {
  const style = getComputedStyle(document.documentElement);
  const colour = (found) => style.getPropertyValue(neutrals[found]);
  const {title, ...rest} = spec;
  return JSON.parse(JSON.stringify(rest).replace(new RegExp(Object.keys(neutrals).join('|'), 'g'), colour));
}

const options = {
  ast: true,  // expressions are interpreted: the page's security policy allows no eval
  renderer: 'svg',
  actions: false,
};

/** Saves the figure as its file is: light, with its title. */
async function save(name, spec, type) {
  const {view, finalize} = await embed(element('div'), spec, options);
  const href = await view.toImageURL(type, type === 'png' ? 2 : 1);
  element('a', {href, download: `${name}.${type}`}).click();
  finalize();
}

const saveButton = (name, spec, type) => element('button',
  {type: 'button', onclick: () => save(name, spec, type), title: `Save this figure as ${type.toUpperCase()}`},
  type.toUpperCase());

async function draw({name, title, spec}, parent) {
  const drawing = element('div', {className: 'drawing'});
  const notes = (spec.title?.subtitle ?? []).slice(1);  // the first names the source, as the page's head does
  parent.append(folding(name, title,
    ...notes.map((note) => element('p', {className: 'hint'}, note)),
    scrolling(title, drawing),
    element('p', {className: 'buttons'}, saveButton(name, spec, 'svg'), ' ', saveButton(name, spec, 'png'))));
  const show = () => embed(drawing, themed(spec), {...options, tooltip: {theme: dark.matches ? 'dark' : 'light'}});
  try {
    await show();
    dark.addEventListener('change', show);
  } catch (error) {
    drawing.className = 'error';
    drawing.textContent = `This figure could not be drawn: ${error.message}`;
    console.error(error);
  }
}

/** One after the other, so that they stand in the order in which the bench names them. */
export async function drawAll(figures, parent) {
  if (figures.length > 0) {
    parent.append(element('p', {className: 'hint'},
      'Point at a mark for its numbers. Click a legend entry to single it out, another to add it, the same again to undo.'));
  }
  // Text is measured when drawn: the embedded font has to be there first.
  await Promise.all(['400', '700'].map((weight) => document.fonts.load(`${weight} 13px Roboto`)));
  for (const figure of figures) await draw(figure, parent);
}

// The figures of the page: title and notes as text, which wraps on a narrow screen; the drawing in the reader's colours.
import embed from 'vega-embed';
import {brushing, hasBrushes} from './brushes.js';
import {element, folding, scrolling} from './element.js';
import {asShown, followToggles} from './page_toggles.js';
import {isLinked} from './row_links.js';
import {isToggled} from './toggles.js';

const dark = matchMedia('(prefers-color-scheme: dark)');

/** The neutral colours of the figures (benches/results/figures/theme.cpp) and what they are on the page. */
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

/** Saves the figure as its file is, light, with its title; of what toggles hide nothing. */
async function save(name, spec, type) {
  const {view, finalize} = await embed(element('div'), spec(), options);
  const href = await view.toImageURL(type, type === 'png' ? 2 : 1);
  element('a', {href, download: `${name}.${type}`}).click();
  finalize();
}

const saveButton = (name, spec, type) => element('button',
  {type: 'button', onclick: () => save(name, spec, type), title: `Save this figure as ${type.toUpperCase()}`},
  type.toUpperCase());

/** The row of the results that a mark shows; -1 where it shows none. */
const rowOf = (item) => item?.datum?.row ?? -1;

/** Marks what other parts of the page point at, and tells them what is pointed at here. Returns what to do after each drawing. */
function link(name, drawing, brushed, links) {
  let view = null;
  let shown = {row: -1, kept: null};
  const mark = () => {
    const kept = shown.kept && Object.fromEntries([...shown.kept].map((row) => [row, true]));
    view?.signal('linked_row', shown.row).signal('kept', kept).runAsync();
  };
  links.listen((state) => {
    shown = state;
    mark();
  });
  const brushes = brushed ? brushing(drawing, () => view, (rows) => links.keep(rows, name)) : null;
  return (drawn) => {
    view = drawn;
    view.addEventListener('mouseover', (event, item) => links.point(rowOf(item), name));
    view.addEventListener('mouseout', () => links.point(-1, name));
    view.addEventListener('click', (event, item) => {
      if (rowOf(item) >= 0) links.choose(rowOf(item), name);
    });
    mark();
    brushes?.show();
  };
}

/** `links`: what other figures, and maybe a table, point at; `toggles`: what the reader shows; null where there is none. */
export async function draw({name, title, spec}, parent, links, toggles = null) {
  const drawing = element('div', {className: 'drawing'});
  const shown = () => asShown(spec, toggles);
  const brushed = hasBrushes(spec);
  const linked = isLinked({spec}) ? link(name, drawing, brushed, links) : () => {};
  const notes = (spec.title?.subtitle ?? []).slice(1);  // the first names the source, as the page's head does
  const card = folding(name, title,
    ...notes.map((note) => element('p', {className: 'hint'}, note)),
    ...(brushed ? [element('p', {className: 'hint'},
      'Drag along an axis to keep the lines between, in the table too where there is one; a double click takes all of these away.')] : []),
    scrolling(title, drawing),
    element('p', {className: 'buttons'}, saveButton(name, shown, 'svg'), ' ', saveButton(name, shown, 'png')));
  if (toggles && isToggled({spec}) && !toggles.panel.isConnected) parent.append(toggles.panel);
  parent.append(card);
  const toggled = toggles && isToggled({spec}) ? followToggles({name, spec}, card, toggles) : () => {};
  const show = async () => {
    const {view} = await embed(drawing, themed(shown()), {...options, tooltip: {theme: dark.matches ? 'dark' : 'light'}});
    linked(view);
    toggled(view);
  };
  try {
    await show();
    dark.addEventListener('change', show);
  } catch (error) {
    drawing.className = 'error';
    drawing.textContent = `This figure could not be drawn: ${error.message}`;
    console.error(error);
  }
}

/** What a reader can do with figures. `links`: with the rows of a table, or null. */
export const hintOf = (links) => 'Point at a mark for its numbers. Click a legend entry to single it out, another to add it, '
  + 'the same again to undo.' + (links ? ' Click a mark to find its row in the table; point at a row to see its mark.' : '');

/** Text is measured when drawn: the embedded font has to be there first. */
export const fontsLoaded = () => Promise.all(['400', '700'].map((weight) => document.fonts.load(`${weight} 13px Roboto`)));

/** One after the other, so that they stand in the order in which the bench names them. */
export async function drawAll(figures, parent, links, toggles) {
  parent.append(element('p', {className: 'hint'}, hintOf(links)));
  await fontsLoaded();
  for (const figure of figures) await draw(figure, parent, links, toggles);
}

// The parts of a page of several benches: what each came to, the command that repeats it, its figures.
import {element} from './element.js';
import {draw, fontsLoaded, hintOf} from './page_figures.js';
import {showToggles} from './page_toggles.js';
import {isLinked, rowLinks} from './row_links.js';

/** Names of figures are a bench's own: on the page its name stands before them. */
const named = ({id, figures}) => figures.map((figure) => ({...figure, name: `${id}-${figure.name}`}));

/** A line of the page's contents: the bench, and each of its figures. */
export function sectionLinks(section, linkTo) {
  return element('p', {}, element('b', {}, linkTo(section.id, section.title)), ...named(section).flatMap(
    ({name, title}) => [' ', linkTo(name, title)]));
}

const line = (className, text) => (text ? [element('p', {className}, text)] : []);

/** The parts first, so that every link leads somewhere; then their figures, one after the other. */
export async function drawSections(sections, parent) {
  parent.append(element('p', {className: 'hint'}, hintOf(null)));
  const parts = sections.map(({id, title, summary, headline, command, source, warnings}) => {
    const part = element('section', {id, className: 'part'}, element('h2', {}, title), ...line('hint', summary),
      ...line('headline', headline),
      ...(warnings.length > 0 ? [element('ul', {className: 'warnings'}, ...warnings.map((text) => element('li', {}, text)))] : []),
      ...line('hint', source),
      ...(command ? [element('p', {className: 'hint'}, element('code', {}, command))] : []));
    parent.append(part);
    return part;
  });
  await fontsLoaded();
  for (const [i, section] of sections.entries()) {
    const links = section.figures.some(isLinked) ? rowLinks() : null;
    const figures = named(section);
    const toggles = showToggles(section.toggles, figures, section.id);
    for (const figure of figures) await draw(figure, parts[i], links, toggles);
  }
}

// The script of the page: the figures and their toggles, the tables and the machine out of the JSON in the page, and links to them.
import {element} from './element.js';
import {drawAll} from './page_figures.js';
import {showMachine} from './page_machine.js';
import {showToggles} from './page_toggles.js';
import {drawSections, sectionLinks} from './page_sections.js';
import {isLinked, rowLinks} from './row_links.js';
import {showTables} from './table.js';

const data = JSON.parse(document.getElementById('data').textContent);

const links = data.figures.some(isLinked) ? rowLinks() : null;
const sections = data.sections ?? [];
const contents = document.getElementById('contents');
const linkTo = (id, text) => element('a', {href: `#${id}`}, text);
const link = (id, text) => contents.append(linkTo(id, text));

for (const {name, title} of data.figures) link(name, title);
const toggles = showToggles(data.toggles, data.figures);
for (const {id, title} of showTables(data.tables, document.getElementById('tables'), links)) link(id, title);
for (const section of sections) contents.append(sectionLinks(section, linkTo));
if (showMachine(data.machine, document.getElementById('machine'))) link('machine', 'The machine');

/** What a link names is opened and shown, also when the page was opened by such a link. */
function showLinked() {
  const linked = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!linked) return;
  if (linked.tagName === 'DETAILS') linked.open = true;
  linked.scrollIntoView();
}
addEventListener('hashchange', showLinked);

async function drawPage() {
  const parent = document.getElementById('figures');
  if (data.figures.length > 0) await drawAll(data.figures, parent, links, toggles);
  if (sections.length > 0) await drawSections(sections, parent);
  showLinked();
}
drawPage();

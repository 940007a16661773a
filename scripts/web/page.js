// The script of the page: the machine, the figures and the tables out of the JSON in the page, and links to them.
import {element} from './element.js';
import {drawAll} from './page_figures.js';
import {showMachine} from './page_machine.js';
import {showTables} from './table.js';

const data = JSON.parse(document.getElementById('data').textContent);

const contents = document.getElementById('contents');
const link = (id, text) => contents.append(element('a', {href: `#${id}`}, text));

if (showMachine(data.machine, document.getElementById('machine'))) link('machine', 'The machine');
for (const {name, title} of data.figures) link(name, title);
for (const {id, title} of showTables(data.tables, document.getElementById('tables'))) link(id, title);

/** What a link names is opened and shown, also when the page was opened by such a link. */
function showLinked() {
  const linked = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!linked) return;
  if (linked.tagName === 'DETAILS') linked.open = true;
  linked.scrollIntoView();
}
addEventListener('hashchange', showLinked);
drawAll(data.figures, document.getElementById('figures')).then(showLinked);

// Tables of rows {key: value}: sorted by a click on a heading, filtered by words, a page at a time, with the columns
// that the reader chooses. Where figures are linked with it, a row that is pointed at is marked there, and the other way
// round.
import {element, folding, scrolling} from './element.js';

const kRowsOfPage = 20;

const text = (value) => (value === undefined || value === null ? '' : String(value));

/** A number for reading: to a thousandth, or four digits where it is below one. The cell's tooltip has all digits. */
function brief(value, unit) {
  if (typeof value !== 'number') return text(value);
  if (unit === '%') return (100 * value).toFixed(Math.abs(value) < 0.01 ? 2 : 1);
  if (Number.isInteger(value)) return value.toLocaleString('en');
  return Math.abs(value) < 1 ? String(Number(value.toPrecision(4)))
    : value.toLocaleString('en', {maximumFractionDigits: 3});
}

/** Numbers before text, both ascending; rows without a value come last. */
function compare(a, b) {
  const missing = (a === undefined || a === null) - (b === undefined || b === null);
  if (missing) return missing;
  const kinds = (typeof a === 'string') - (typeof b === 'string');
  if (kinds) return kinds;
  return typeof a === 'string' ? a.localeCompare(b) : a - b;
}

const headingOf = ({heading, unit}) => (unit ? `${heading} (${unit})` : heading);

function showTable({columns, rows, places}, label, id, links) {
  const placeOf = new Map(rows.map((row, i) => [row, places[i]]));  // in the results
  const numeric = new Set(columns.map(({key}) => key).filter((key) => rows.some((row) => typeof row[key] === 'number')));
  const chosen = new Set(columns.filter(({shown}) => shown).map(({key}) => key));
  const heading = element('tr');
  const body = element('tbody');
  const table = element('table', {}, element('thead', {}, heading), body);
  const filter = element('input', {type: 'search', placeholder: 'words in any column'});
  const count = element('output');
  const back = element('button', {type: 'button'}, '← previous');
  const on = element('button', {type: 'button'}, 'next →');
  const words = element('dl');
  const meanings = element('details', {className: 'words'}, element('summary', {}, 'What the columns mean'), words);
  let order = {key: null, sign: 1};
  let first = 0;
  let linked = {row: -1, kept: null};

  const matching = () => {
    const wanted = filter.value.toLowerCase().split(/\s+/);
    return rows.filter((row) => {
      if (linked.kept && !linked.kept.has(placeOf.get(row))) return false;
      const line = Object.values(row).map(text).join(' ').toLowerCase();
      return wanted.every((word) => line.includes(word));
    });
  };

  const cellOf = (row, {key, unit}) => {
    const cell = element('td', {className: numeric.has(key) ? 'number' : ''}, brief(row[key], unit));
    if (cell.textContent !== text(row[key])) cell.title = text(row[key]);
    return cell;
  };

  const inOrder = () => {
    const found = matching();
    if (order.key !== null) found.sort((a, b) => order.sign * compare(a[order.key], b[order.key]));
    return found;
  };

  const lineOf = (row, shown) => {
    const line = element('tr', {}, ...shown.map((column) => cellOf(row, column)));
    if (!links) return line;
    const place = placeOf.get(row);
    line.dataset.place = place;
    line.tabIndex = 0;
    for (const event of ['pointerenter', 'focus']) line.addEventListener(event, () => links.point(place, id));
    for (const event of ['pointerleave', 'blur']) line.addEventListener(event, () => links.point(-1, id));
    line.addEventListener('click', () => links.choose(place, id));
    line.addEventListener('keydown', ({key}) => key === 'Enter' && links.choose(place, id));
    return line;
  };

  const markLinked = () => {
    for (const line of body.rows) line.ariaCurrent = Number(line.dataset.place) === linked.row ? 'true' : null;
  };

  const showRows = () => {
    const found = inOrder();
    first = Math.min(first, Math.max(0, Math.floor((found.length - 1) / kRowsOfPage) * kRowsOfPage));
    const shown = columns.filter(({key}) => chosen.has(key));
    body.replaceChildren(...found.slice(first, first + kRowsOfPage)
      .map((row) => lineOf(row, shown)));
    markLinked();
    const last = Math.min(first + kRowsOfPage, found.length);
    count.textContent = found.length === 0 ? 'no rows' : `rows ${first + 1}–${last} of ${found.length}`
      + (linked.kept ? ` that the brushes leave, of ${rows.length} in all` : '');
    back.disabled = first === 0;
    on.disabled = last === found.length;
    back.hidden = on.hidden = found.length <= kRowsOfPage;
    for (const cell of heading.cells) {
      cell.ariaSort = cell.dataset.key !== order.key ? 'none' : order.sign > 0 ? 'ascending' : 'descending';
    }
  };

  const headOf = (column) => {
    const {key, meaning} = column;
    const sort = () => {
      order = {key, sign: key === order.key ? -order.sign : 1};
      first = 0;
      showRows();
    };
    const cell = element('th', {scope: 'col', title: meaning, className: numeric.has(key) ? 'number' : ''},
      element('button', {type: 'button', onclick: sort}, headingOf(column)));
    cell.dataset.key = key;
    return cell;
  };

  const showColumns = () => {
    const shown = columns.filter(({key}) => chosen.has(key));
    heading.replaceChildren(...shown.map(headOf));
    words.replaceChildren(...shown.filter(({meaning}) => meaning)
      .flatMap((column) => [element('dt', {}, headingOf(column)), element('dd', {}, column.meaning)]));
    meanings.hidden = words.childElementCount === 0;
    showRows();
  };

  const choiceOf = (column) => {
    const box = element('input', {type: 'checkbox', checked: chosen.has(column.key)});
    box.addEventListener('change', () => {
      if (box.checked) chosen.add(column.key);
      else chosen.delete(column.key);
      showColumns();
    });
    return element('label', {title: column.meaning}, box, ' ', headingOf(column));
  };

  const turn = (rowsOn) => () => {
    first = Math.max(0, first + rowsOn);
    showRows();
  };
  back.addEventListener('click', turn(-kRowsOfPage));
  on.addEventListener('click', turn(kRowsOfPage));
  filter.addEventListener('input', () => {
    first = 0;
    showRows();
  });
  showColumns();
  links?.listen(({from, isChosen, ...state}) => {
    const isOther = state.kept !== linked.kept;
    linked = state;
    if (isOther) showRows();
    const at = from === id ? -1 : inOrder().findIndex((row) => placeOf.get(row) === state.row);
    if (at < 0) return markLinked();
    first = at - at % kRowsOfPage;
    showRows();
    if (!isChosen) return;
    table.closest('details').open = true;
    body.querySelector('[aria-current]').scrollIntoView({block: 'center'});
  });
  return [
    element('p', {className: 'controls'}, element('label', {}, 'Rows with ', filter), count, back, on),
    element('details', {className: 'choice'}, element('summary', {}, `Columns (${columns.length} in all)`),
      element('div', {className: 'boxes'}, ...columns.map(choiceOf))),
    scrolling(label, table),
    meanings,
  ];
}

/** Each table folds; returns where they are. */
export function showTables(tables, parent, links) {
  return tables.filter(({rows}) => rows.length > 0).map((table, i) => {
    const id = `table-${i + 1}`;
    parent.append(folding(id, table.title,
      element('p', {className: 'hint'}, `${table.meaning} Click a heading to sort, again to turn the order round.`),
      ...showTable(table, table.title, id, links)));
    return {id, title: table.title};
  });
}

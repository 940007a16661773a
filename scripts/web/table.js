// A table of rows [{column: value}] that sorts by a click on a heading and shows only what a filter lets through.

/** Columns in the order of their first appearance over all rows. */
const columnsOf = (rows) => [...new Set(rows.flatMap((row) => Object.keys(row)))];

const text = (value) => (value === undefined || value === null ? '' : String(value));

/** A number for reading: to a thousandth, or four digits where it is below one. The cell's tooltip has all digits. */
const brief = (value) =>
  typeof value !== 'number' || Number.isInteger(value) ? text(value)
    : String(Math.abs(value) < 1 ? Number(value.toPrecision(4)) : Number(value.toFixed(3)));

/** Numbers before text, both ascending; rows without a value come last. */
function compare(a, b) {
  const missing = (a === undefined || a === null) - (b === undefined || b === null);
  if (missing) return missing;
  const kinds = (typeof a === 'string') - (typeof b === 'string');
  if (kinds) return kinds;
  return typeof a === 'string' ? a.localeCompare(b) : a - b;
}

export function showTable(rows, table, filter) {
  const columns = columnsOf(rows);
  const numeric = new Set(columns.filter((column) => rows.some((row) => typeof row[column] === 'number')));
  const heading = table.createTHead().insertRow();
  const body = table.createTBody();
  let order = {column: null, sign: 1};

  const matching = () => {
    const words = filter.value.toLowerCase().split(/\s+/);
    return rows.filter((row) => {
      const line = Object.values(row).map(text).join(' ').toLowerCase();
      return words.every((word) => line.includes(word));
    });
  };

  const show = () => {
    const shown = matching();
    if (order.column !== null) shown.sort((a, b) => order.sign * compare(a[order.column], b[order.column]));
    body.replaceChildren(...shown.map((row) => {
      const line = document.createElement('tr');
      for (const column of columns) {
        const cell = line.insertCell();
        cell.textContent = brief(row[column]);
        if (cell.textContent !== text(row[column])) cell.title = text(row[column]);
        if (numeric.has(column)) cell.className = 'number';
      }
      return line;
    }));
    for (const [i, cell] of [...heading.cells].entries()) {
      const sorted = columns[i] === order.column;
      cell.ariaSort = sorted ? (order.sign > 0 ? 'ascending' : 'descending') : 'none';
    }
  };

  for (const column of columns) {
    const cell = document.createElement('th');
    const button = document.createElement('button');
    button.textContent = column;
    button.addEventListener('click', () => {
      order = {column, sign: column === order.column ? -order.sign : 1};
      show();
    });
    cell.scope = 'col';
    if (numeric.has(column)) cell.className = 'number';
    cell.append(button);
    heading.append(cell);
  }
  filter.addEventListener('input', show);
  show();
}

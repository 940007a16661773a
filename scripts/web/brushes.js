// Intervals on the axes of parallel coordinates: a drag along an axis keeps the lines between its ends.

const kReach = 30;    // pixels from an axis within which a drag is meant for it
const kClick = 0.02;  // of an axis: a shorter drag takes its interval away

/** Whether a figure can be brushed: it has a layer for the intervals (benches/experiments/search/coordinates_figure.cpp). */
export const hasBrushes = (spec) => (spec.layer ?? []).some(({data}) => data?.name === 'brushes');

/** Lets the reader brush what `viewOf()` has drawn in `drawing`; `keep(rows)` is told the rows left, or null for all. */
export function brushing(drawing, viewOf, keep) {
  const brushes = new Map();  // column: [one end, the other], from 0 to 1
  let dragged = null;

  const ends = (column) => [...brushes.get(column)].sort((a, b) => a - b);

  const rowsLeft = () => {
    if (brushes.size === 0) return null;
    const lines = viewOf().data('lines');
    const rows = new Set(lines.map(({row}) => row));
    for (const {row, column, place} of lines) {
      if (!brushes.has(column)) continue;
      const [from, to] = ends(column);
      if (place < from || place > to) rows.delete(row);
    }
    return rows;
  };

  /** Draws the intervals, also into a view that was drawn anew. */
  const show = () => {
    const intervals = [...brushes.keys()].map((column) => ({column, from: ends(column)[0], to: ends(column)[1]}));
    viewOf().data('brushes', intervals).runAsync();
  };

  /** The axis next to the pointer, if one is near, and the place on it. */
  const axisAt = (event) => {
    const view = viewOf();
    const box = drawing.querySelector('svg').getBoundingClientRect();
    const x = event.clientX - box.left - view.origin()[0] - view.padding().left;
    const y = event.clientY - box.top - view.origin()[1] - view.padding().top;
    const away = (column) => Math.abs(view.scale('x')(column) - x);
    const column = view.scale('x').domain().reduce((best, one) => (away(one) < away(best) ? one : best));
    const isNear = away(column) <= kReach && y >= -kReach && y <= view.height() + kReach;
    return {column, isNear, place: Math.min(1, Math.max(0, view.scale('y').invert(y)))};
  };

  drawing.addEventListener('pointerdown', (event) => {
    const {column, isNear, place} = axisAt(event);
    if (!isNear || event.button !== 0) return;
    event.preventDefault();  // no text is selected
    drawing.setPointerCapture(event.pointerId);
    dragged = {column, start: place};
  });
  drawing.addEventListener('pointermove', (event) => {
    const {isNear, place} = axisAt(event);
    drawing.style.cursor = isNear || dragged ? 'ns-resize' : '';
    if (!dragged) return;
    brushes.set(dragged.column, [dragged.start, place]);
    show();
    keep(rowsLeft());
  });
  const drop = (event) => {
    if (!dragged) return;
    const {column, start} = dragged;
    dragged = null;
    if (Math.abs(axisAt(event).place - start) >= kClick) return;
    brushes.delete(column);
    show();
    keep(rowsLeft());
  };
  drawing.addEventListener('pointerup', drop);
  drawing.addEventListener('pointercancel', drop);
  drawing.addEventListener('dblclick', () => {
    brushes.clear();
    show();
    keep(null);
  });
  return {show};
}

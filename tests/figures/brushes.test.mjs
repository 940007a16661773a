// Of scripts/web/brushes.js, run by page_links_test.cpp: a drawing of two axes at 100 and 300, 200 pixels high.
import assert from 'node:assert/strict';
import test from 'node:test';
import {brushing, hasBrushes} from '../../scripts/web/brushes.js';

class Drawing extends EventTarget {
  style = {};
  querySelector() { return {getBoundingClientRect: () => ({left: 40, top: 60})}; }
  setPointerCapture() {}
}

/** Of rows 7, 8 and 9: place 0, 0.5 and 1 on `a`, and 1, 0.5 and 0 on `b`. */
const kLines = [7, 8, 9].flatMap((row, i) => [
  {row, column: 'a', place: i / 2}, {row, column: 'b', place: 1 - i / 2}]);

function brushed() {
  const drawing = new Drawing();
  const drawn = {rows: undefined, intervals: undefined, drawing};
  const x = Object.assign((column) => ({a: 100, b: 300})[column], {domain: () => ['a', 'b']});
  const y = {invert: (pixel) => 1 - pixel / 200};
  const view = {
    origin: () => [10, 20],
    padding: () => ({left: 5, top: 5}),
    height: () => 200,
    scale: (name) => ({x, y})[name],
    runAsync() {},
    data(name, values) {
      if (!values) return kLines;
      drawn.intervals = values;
      return view;
    },
  };
  brushing(drawing, () => view, (rows) => { drawn.rows = rows && [...rows]; });
  return drawn;
}

/** At `x` and a place from 0 (bottom) to 1 of the drawing's axes. */
function send(drawing, type, x, place) {
  const event = Object.assign(new Event(type, {cancelable: true}),
    {button: 0, pointerId: 1, clientX: 40 + 10 + 5 + x, clientY: 60 + 20 + 5 + 200 * (1 - place)});
  drawing.dispatchEvent(event);
}

function drag(drawing, x, from, to) {
  send(drawing, 'pointerdown', x, from);
  send(drawing, 'pointermove', x, to);
  send(drawing, 'pointerup', x, to);
}

test('the lines between the ends of a drag are left, whichever way it went; ends are included', () => {
  for (const [from, to] of [[0.4, 1], [1, 0.4], [0.5, 1]]) {
    const drawn = brushed();
    drag(drawn.drawing, 104, from, to);
    assert.deepEqual(drawn.rows, [8, 9]);
    assert.equal(drawn.intervals.length, 1);
    assert.equal(drawn.intervals[0].column, 'a');
    assert.ok(Math.abs(drawn.intervals[0].from - Math.min(from, to)) < 1e-9);
  }
});

test('several axes together; a click takes one away, a double click all', () => {
  const drawn = brushed();
  drag(drawn.drawing, 100, 0.4, 1);
  drag(drawn.drawing, 300, 0.4, 0.6);
  assert.deepEqual(drawn.rows, [8]);
  drag(drawn.drawing, 100, 0.3, 0.301);
  assert.deepEqual(drawn.rows, [8]);
  assert.equal(drawn.intervals.length, 1);
  drag(drawn.drawing, 300, 0.9, 1.2);  // beyond the end of the axis
  assert.deepEqual(drawn.rows, [7]);
  drawn.drawing.dispatchEvent(new Event('dblclick'));
  assert.equal(drawn.rows, null);
  assert.deepEqual(drawn.intervals, []);
});

test('a drag between the axes, or with another button, is none', () => {
  const drawn = brushed();
  drag(drawn.drawing, 200, 0, 1);
  assert.equal(drawn.rows, undefined);
  assert.equal(drawn.intervals, undefined);
});

test('what can be brushed has a layer for it', () => {
  assert.equal(hasBrushes({layer: [{data: {name: 'brushes'}}]}), true);
  assert.equal(hasBrushes({layer: [{mark: 'line'}]}), false);
  assert.equal(hasBrushes({mark: 'line'}), false);
});

// Of scripts/web/row_links.js, run by page_links_test.cpp.
import assert from 'node:assert/strict';
import test from 'node:test';
import {isLinked, rowLinks} from '../../scripts/web/row_links.js';

test('pointing goes by, choosing stays until the same again', () => {
  const links = rowLinks();
  const heard = [];
  links.listen(({row, kept, from}) => heard.push([row, kept, from]));
  assert.deepEqual(heard.pop(), [-1, null, undefined]);
  links.point(3, 'front');
  assert.deepEqual(heard.pop(), [3, null, 'front']);
  links.choose(5, 'front');
  links.point(-1, 'front');
  assert.deepEqual(heard.pop(), [5, null, 'front']);
  links.point(4, 'table-1');
  assert.deepEqual(heard.pop(), [4, null, 'table-1']);
  links.point(-1, 'table-1');
  links.choose(5, 'table-1');
  assert.deepEqual(heard.pop(), [-1, null, 'table-1']);
});

test('the same row again is not told again, the rows left are', () => {
  const links = rowLinks();
  let told = 0;
  let last = null;
  links.listen((state) => {
    ++told;
    last = state;
  });
  links.point(-1, 'a');
  assert.equal(told, 1);
  links.keep(new Set([1, 2]), 'a');
  assert.deepEqual([told, [...last.kept]], [2, [1, 2]]);
});

test('a figure is linked by its parameter', () => {
  assert.equal(isLinked({spec: {params: [{name: 'linked_row', value: -1}]}}), true);
  assert.equal(isLinked({spec: {params: [{name: 'series'}]}}), false);
  assert.equal(isLinked({spec: {}}), false);
});

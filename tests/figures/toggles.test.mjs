// Of scripts/web/toggles.js, run by page_links_test.cpp.
import assert from 'node:assert/strict';
import test from 'node:test';
import {isToggled, togglesOf} from '../../scripts/web/toggles.js';

const axes = () => [
  {name: 'method', values: [{label: 'a', value: 'a', shown: true}, {label: 'b, c=%', value: 'b, c=%', shown: true}]},
  {name: 'replication', values: [{label: '1', value: 1, shown: true}, {label: '2', value: 2, shown: false}]},
];
const records = [{method: 'a', replication: 1}, {method: 'a', replication: 2}, {method: 'b, c=%', replication: 1}];

test('a record is shown where each of its values is', () => {
  const toggles = togglesOf(axes());
  assert.equal(toggles.count(records), 2);
  toggles.flip('replication', '2');
  assert.equal(toggles.count(records), 3);
  toggles.flip('method', 'a');
  assert.equal(toggles.count(records), 1);
  assert.deepEqual(toggles.state(), {method: {'b, c=%': true}, replication: {1: true, 2: true}});
  toggles.setAll('replication', false);
  assert.equal(toggles.count(records), 0);
  assert.deepEqual([toggles.isNone('replication'), toggles.isAll('method')], [true, false]);
});

test('listeners hear of each change', () => {
  const toggles = togglesOf(axes());
  let heard = 0;
  toggles.listen(() => ++heard);
  toggles.flip('method', 'a');
  toggles.setAll('method', true);
  assert.equal(heard, 2);
});

test('a link is read as it was written, whatever a value is called', () => {
  const toggles = togglesOf(axes());
  toggles.flip('method', 'a');
  toggles.setAll('replication', true);
  const link = toggles.fragment();
  assert.equal(link, 'show:method=b%2C%20c%3D%25');
  const other = togglesOf(axes());
  assert.deepEqual(other.read(link), []);
  assert.deepEqual(other.state(), toggles.state());
  toggles.setAll('method', false);
  other.read(toggles.fragment());
  assert.equal(other.isNone('method'), true);
});

test('a link that is none is left alone, and what it asks for in vain is told', () => {
  const toggles = togglesOf(axes());
  assert.equal(toggles.read('figure-3'), null);
  assert.equal(toggles.isAll('replication'), false);
  assert.deepEqual(toggles.read('show:method=z,colour=red,method=a,flat'), ['method=z', 'colour=red', 'flat']);
  assert.deepEqual(toggles.state().method, {a: true});
  assert.deepEqual(toggles.read('show:%'), ['show:%']);
});

test('a figure follows toggles by its parameter', () => {
  assert.equal(isToggled({spec: {params: [{name: 'toggled', value: null}]}}), true);
  assert.equal(isToggled({spec: {params: [{name: 'series'}]}}), false);
  assert.equal(isToggled({spec: {}}), false);
});

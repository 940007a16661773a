// The card of the machine: what it consists of, and in what it differs from the machine that comes with kernbench.
import {element} from './element.js';

/** Whether there is anything to show. */
export function showMachine({facts, beside, differences}, card) {
  card.hidden = facts.length === 0;
  if (card.hidden) return false;
  const list = element('dl');
  for (const {name, value, meaning} of facts) {
    list.append(element('dt', {}, name), element('dd', {}, value, element('small', {}, meaning)));
  }
  card.append(element('h2', {}, 'The machine'), list);
  if (beside === '') return true;
  if (differences.length === 0) {
    card.append(element('p', {className: 'hint'}, `Every key is as in ${beside}.`));
  } else {
    const keys = differences.length === 1 ? '1 key differs' : `${differences.length} keys differ`;
    card.append(element('details', {open: differences.length <= 8},
      element('summary', {}, `${keys} from ${beside}`),
      element('ul', {}, ...differences.map((line) => element('li', {}, element('code', {}, line))))));
  }
  return true;
}

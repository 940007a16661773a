// The buttons that show and hide marks in all figures of a page at once, and the link to what they show.
import {element} from './element.js';
import {isToggled, togglesOf} from './toggles.js';

/** A button for each value; one that no figure has a mark of cannot be pressed. */
function buttonsOf({name, values}, toggles, records) {
  const present = new Set(records.map((record) => String(record[name])));
  const buttons = values.map(({label, value}) => {
    const button = element('button', {type: 'button', onclick: () => toggles.flip(name, label)}, label);
    if (!present.has(String(value))) Object.assign(button, {disabled: true, title: 'no figure has any'});
    return button;
  });
  const all = element('button', {type: 'button', className: 'all', onclick: () => toggles.setAll(name, !toggles.isAll(name))});
  const show = () => {
    values.forEach(({label}, i) => { buttons[i].setAttribute('aria-pressed', toggles.isShown(name, label)); });
    all.textContent = toggles.isAll(name) ? 'none' : 'all';
    all.ariaLabel = `${name}: ${all.textContent}`;
  };
  toggles.listen(show);
  show();
  return element('div', {className: 'axis', role: 'group', ariaLabel: name}, element('b', {}, name), ...buttons, all);
}

/** Keeps the page's address and what is shown the same; a part of a page has none. */
function inAddress(toggles, read) {
  addEventListener('hashchange', read);
  toggles.listen(() => {
    const fragment = toggles.fragment();
    history.replaceState(null, '', fragment ? `#${fragment}` : location.pathname + location.search);
  });
}

/**
 * The toggles with `panel`, the card of their buttons; null where no figure has any. `part`: the id of the part of a page
 * whose figures these are; null where they are all.
 */
export function showToggles(axes, figures, part = null) {
  const records = figures.filter(isToggled).flatMap(({spec}) => spec.data.values);
  if (!axes || records.length === 0) return null;
  const toggles = togglesOf(axes);
  const status = element('p', {className: 'hint', role: 'status'});
  let unknown = [];
  const say = () => {
    const count = toggles.count(records);
    const none = axes.filter(({name}) => toggles.isNone(name)).map(({name}) => name);
    status.textContent = (count > 0 ? `${count} of ${records.length} results are shown.`
      : `Nothing is shown${none.length > 0 ? `: no ${none.join(' and no ')} is pressed` : ''}.`)
      + (unknown.length > 0 ? ` The link asks for what is not here: ${unknown.join(', ')}.` : '');
  };
  const readLink = () => {
    unknown = toggles.read(location.hash.slice(1)) ?? unknown;
    say();
  };
  if (part) say();
  else readLink();
  toggles.listen(() => {
    unknown = [];
    say();
  });
  if (!part) inAddress(toggles, readLink);
  const id = part ? `${part}-toggles` : 'toggles';
  const panel = element('section', {id, className: 'card toggles', ariaLabel: 'What the figures below show'},
    ...axes.map((axis) => buttonsOf(axis, toggles, records)), status);
  return {...toggles, panel};
}

/** The specification with nothing in it but what is shown. */
export const asShown = (spec, toggles) => (toggles && isToggled({spec})
  ? {...spec, params: spec.params.map((param) => (param.name === 'toggled' ? {...param, value: toggles.state()} : param))}
  : spec);

/** A figure of which nothing is shown goes, with its link. Returns what to do after each drawing. */
export function followToggles({name, spec}, card, toggles) {
  let view = null;
  const show = () => {
    card.hidden = toggles.count(spec.data.values) === 0;
    for (const link of document.querySelectorAll(`#contents a[href="#${CSS.escape(name)}"]`)) link.hidden = card.hidden;
    view?.signal('toggled', toggles.state()).runAsync();
  };
  toggles.listen(show);
  return (drawn) => {
    view = drawn;
    show();
  };
}

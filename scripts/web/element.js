// Elements of the page, made by one call each.

/** An element with these properties and children; text becomes text, never markup. */
export function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

/** A part of the page that folds, with a heading and a link to itself. */
export function folding(id, title, ...children) {
  const link = element('a', {href: `#${id}`, className: 'link', title: 'Link to this part', ariaLabel: `Link to: ${title}`}, '#');
  return element('details', {id, open: true, className: 'card'},
    element('summary', {}, element('h2', {}, title), ' ', link), ...children);
}

/** What is wider than the page scrolls by itself, with the arrow keys too. */
export function scrolling(label, ...children) {
  return element('div', {className: 'scroll', tabIndex: 0, role: 'region', ariaLabel: label}, ...children);
}

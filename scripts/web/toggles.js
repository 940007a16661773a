// What the toggles of a page show: of each axis some values; and the same as text, which a link to a view ends with.

const kStart = 'show:';

/** The values after each `=` of "axis=value,axis=value", as --show has them; null for what is no such text. */
function termsOf(text) {
  try {
    return text.split(',').filter(Boolean).map((term) => {
      const at = term.indexOf('=');
      return at < 0 ? [decodeURIComponent(term), null]
        : [decodeURIComponent(term.slice(0, at)), decodeURIComponent(term.slice(at + 1))];
    });
  } catch {
    return null;  // a % that nothing follows
  }
}

/** `axes`: [{name, values: [{label, value, shown}]}]. Listeners are called after each change. */
export function togglesOf(axes) {
  const listeners = [];
  const shown = new Map(axes.map(({name, values}) => [
    name, new Set(values.filter((value) => value.shown).map(({label}) => label))]));
  const labels = ({values}) => values.map(({label}) => label);
  const isAll = (name) => shown.get(name).size === axes.find((axis) => axis.name === name).values.length;
  const change = (name, wanted) => {
    shown.set(name, wanted);
    listeners.forEach((listener) => listener());
  };
  /** Of each axis, what a record of a figure has and is shown. */
  const state = () => Object.fromEntries(axes.map(({name, values}) => [name, Object.fromEntries(
    values.filter(({label}) => shown.get(name).has(label)).map(({value}) => [value, true]))]));
  return {
    axes,
    state,
    listen: (listener) => listeners.push(listener),
    isShown: (name, label) => shown.get(name).has(label),
    isAll,
    isNone: (name) => shown.get(name).size === 0,
    flip(name, label) {
      const wanted = new Set(shown.get(name));
      if (!wanted.delete(label)) wanted.add(label);
      change(name, wanted);
    },
    setAll: (name, on) => change(name, new Set(on ? labels(axes.find((axis) => axis.name === name)) : [])),
    /** How many of these records are shown. */
    count(records) {
      const now = state();
      return records.filter((record) => axes.every(({name}) => now[name][record[name]])).length;
    },
    /** The end of a link to this view: axes of which not all is shown; "" where all is. */
    fragment() {
      const terms = axes.filter(({name}) => !isAll(name)).flatMap((axis) => {
        const some = labels(axis).filter((label) => shown.get(axis.name).has(label));
        return (some.length > 0 ? some : ['']).map(
          (label) => `${encodeURIComponent(axis.name)}=${encodeURIComponent(label)}`);
      });
      return terms.length > 0 ? kStart + terms.join(',') : '';
    },
    /** Shows what a link ends with. Returns what in it is unknown, or null where it is a link to something else. */
    read(fragment) {
      if (!fragment.startsWith(kStart)) return null;
      const terms = termsOf(fragment.slice(kStart.length));
      if (!terms) return [fragment];
      const wanted = new Map();
      const unknown = [];
      for (const [name, label] of terms) {
        const axis = axes.find((one) => one.name === name);
        if (!axis || label === null || (label !== '' && !labels(axis).includes(label))) {
          unknown.push(label === null ? name : `${name}=${label}`);
          continue;
        }
        if (!wanted.has(name)) wanted.set(name, new Set());
        if (label !== '') wanted.get(name).add(label);
      }
      for (const axis of axes) shown.set(axis.name, wanted.get(axis.name) ?? new Set(labels(axis)));
      listeners.forEach((listener) => listener());
      return unknown;
    },
  };
}

/** Whether a figure shows what the toggles say (benches/results/figures/theme.hpp). */
export const isToggled = ({spec}) => (spec.params ?? []).some(({name}) => name === 'toggled');

// What figures and tables of a page share: the row that the reader points at or has chosen, and the rows that brushes
// leave. A row is known by its place in the results, which a table's rows and the data of figures carry.

/** Shared by all parts of one page; each listens, and tells what its reader does. */
export function rowLinks() {
  const listeners = [];
  let pointed = -1;
  let chosen = -1;
  let kept = null;  // a set of rows; null: all of them
  const tell = (change) => listeners.forEach((listener) => listener({row: pointed < 0 ? chosen : pointed, kept, ...change}));
  return {
    /** `listener({row, kept, from, isChosen})`, at once and after each change; `row` is -1 where there is none. */
    listen(listener) {
      listeners.push(listener);
      listener({row: chosen, kept});
    },
    /** The pointer or the focus is on a row of the part `from`; -1: no longer. */
    point(row, from) {
      if (row === pointed) return;
      pointed = row;
      tell({from});
    },
    /** A row stays marked until another is, or the same again. */
    choose(row, from) {
      chosen = row === chosen ? -1 : row;
      tell({from, isChosen: chosen >= 0});
    },
    /** Only these rows are shown; null: all. */
    keep(rows, from) {
      kept = rows;
      tell({from});
    },
  };
}

/** Whether a figure marks the row that is pointed at (benches/results/figures/theme.hpp). */
export const isLinked = ({spec}) => (spec.params ?? []).some(({name}) => name === 'linked_row');

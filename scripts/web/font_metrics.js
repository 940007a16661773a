// How wide the characters of a font are, read from its tables: node has no canvas to measure text with, and a layout by
// guessed widths leaves gaps and overlaps.
import {glyphsOf, metricsOf} from './woff.js';

/** {character: advance in em} of every character of the font. */
export function advances(tables) {
  const unitsPerEm = tables.head.readUInt16BE(18);
  return Object.fromEntries(glyphsOf(tables.cmap).map(
    ([code, glyph]) => [String.fromCharCode(code), metricsOf(tables, glyph)[0] / unitsPerEm]));
}

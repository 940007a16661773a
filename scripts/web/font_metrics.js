// How wide the characters of a font are, read from its WOFF file: node has no canvas to measure text with, and a
// layout by guessed widths leaves gaps and overlaps.
import {inflateSync} from 'node:zlib';

/** The tables of a WOFF file, decompressed, by their four-letter names. */
function tablesOf(woff) {
  const tables = {};
  for (let i = 0; i < woff.readUInt16BE(12); ++i) {
    const entry = 44 + 20 * i;
    const [offset, packed, length] = [4, 8, 12].map((at) => woff.readUInt32BE(entry + at));
    const bytes = woff.subarray(offset, offset + packed);
    tables[woff.toString('latin1', entry, entry + 4)] = packed < length ? inflateSync(bytes) : bytes;
  }
  return tables;
}

/** [[code point, glyph]] of the character map's format-4 subtable: the Basic Multilingual Plane. */
function glyphsOf(cmap) {
  const starts = Array.from({length: cmap.readUInt16BE(2)}, (_, i) => cmap.readUInt32BE(8 + 8 * i));
  const at = starts.find((start) => cmap.readUInt16BE(start) === 4);
  const segments = cmap.readUInt16BE(at + 6) / 2;
  const glyphs = [];
  for (let i = 0; i < segments; ++i) {
    const field = (column) => at + 14 + 2 * (column * segments + i) + (column > 0 ? 2 : 0);
    const [end, start, delta, range] = [0, 1, 2, 3].map((column) => cmap.readUInt16BE(field(column)));
    for (let code = start; code <= end && code < 0xffff; ++code) {
      const listed = range === 0 ? code : cmap.readUInt16BE(field(3) + range + 2 * (code - start));
      if (range === 0 || listed !== 0) glyphs.push([code, (listed + delta) & 0xffff]);
    }
  }
  return glyphs;
}

/** {character: advance in em} of every character of the font. */
export function advances(woff) {
  const {head, hhea, hmtx, cmap} = tablesOf(woff);
  const unitsPerEm = head.readUInt16BE(18);
  const last = hhea.readUInt16BE(34) - 1;  // glyphs past it are as wide as it
  const width = (glyph) => hmtx.readUInt16BE(4 * Math.min(glyph, last)) / unitsPerEm;
  return Object.fromEntries(glyphsOf(cmap).map(([code, glyph]) => [String.fromCharCode(code), width(glyph)]));
}

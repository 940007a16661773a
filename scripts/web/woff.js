// The tables of a font file, and what its `cmap` says.
import {inflateSync} from 'node:zlib';

/** The tables of a WOFF file, decompressed, by their four-letter names. */
export function tablesOf(woff) {
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
export function glyphsOf(cmap) {
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

/** [advance in font units, left side bearing] of a glyph. */
export function metricsOf({hhea, hmtx}, glyph) {
  const full = hhea.readUInt16BE(34);  // glyphs past these are as wide as the last one and have a bearing only
  const bearing = glyph < full ? 4 * glyph + 2 : 4 * full + 2 * (glyph - full);
  return [hmtx.readUInt16BE(4 * Math.min(glyph, full - 1)), hmtx.readInt16BE(bearing)];
}

// A TrueType font of a few characters of another one. No kerning and no ligatures: text is then as wide as it was
// measured by its advances. Not compressed: the bytes depend on the font and the characters alone.
import {glyphsOf, metricsOf} from './woff.js';

const words = (...values) => {
  const bytes = Buffer.alloc(2 * values.length);
  values.forEach((value, i) => bytes.writeUInt16BE(value & 0xffff, 2 * i));
  return bytes;
};
const longs = (...values) => {
  const bytes = Buffer.alloc(4 * values.length);
  values.forEach((value, i) => bytes.writeUInt32BE(value >>> 0, 4 * i));
  return bytes;
};
const padded = (bytes) => Buffer.concat([bytes, Buffer.alloc(-bytes.length & 3)]);

function outline({glyf, loca, head}, glyph) {
  const at = head.readInt16BE(50) === 0 ? (i) => 2 * loca.readUInt16BE(2 * i) : (i) => loca.readUInt32BE(4 * i);
  return glyf.subarray(at(glyph), at(glyph + 1));
}

/** Where in the outline of a glyph that is put together from others their numbers stand. */
function components(bytes) {
  const places = [];
  if (bytes.length === 0 || bytes.readInt16BE(0) >= 0) return places;
  for (let at = 10, flags = 0x20; flags & 0x20;) {  // MORE_COMPONENTS
    flags = bytes.readUInt16BE(at);
    places.push(at + 2);
    at += 4 + (flags & 0x1 ? 4 : 2);                                          // ARG_1_AND_2_ARE_WORDS
    at += flags & 0x8 ? 2 : flags & 0x40 ? 4 : flags & 0x80 ? 8 : 0;          // a scale, two, a matrix
  }
  return places;
}

/** A `cmap` of one format-4 subtable, a segment a character, for [[code point, glyph]] by code point. */
function characterMap(pairs) {
  const segments = pairs.length + 1;
  const power = 2 ** Math.floor(Math.log2(segments));
  const codes = pairs.map(([code]) => code);
  const table = words(4, 16 + 8 * segments, 0, 2 * segments, 2 * power, Math.log2(power), 2 * (segments - power),
    ...codes, 0xffff, 0, ...codes, 0xffff, ...pairs.map(([code, glyph]) => glyph - code), 1,
    ...Array(segments).fill(0));
  return Buffer.concat([words(0, 1, 3, 1), longs(12), table]);
}

/** Who made the font, what it is called and its licence: what a copy has to carry. */
function names(name) {
  const kept = Array.from({length: name.readUInt16BE(2)}, (_, i) => name.subarray(6 + 12 * i, 18 + 12 * i))
    .filter((record) => [0, 1, 2, 13, 14].includes(record.readUInt16BE(6)));
  return Buffer.concat([words(0, kept.length, 6 + 12 * kept.length), ...kept, name.subarray(name.readUInt16BE(4))]);
}

const checksum = (bytes) => {
  let sum = 0;
  for (let at = 0; at < bytes.length; at += 4) sum = (sum + bytes.readUInt32BE(at)) >>> 0;
  return sum;
};

function fontFile(tables) {
  const tags = Object.keys(tables).sort();
  const power = 2 ** Math.floor(Math.log2(tags.length));
  const directory = [];
  const bodies = [];
  let offset = 12 + 16 * tags.length;
  for (const tag of tags) {
    const body = padded(tables[tag]);
    directory.push(Buffer.from(tag, 'latin1'), longs(checksum(body), offset, tables[tag].length));
    bodies.push(body);
    offset += body.length;
  }
  const file = Buffer.concat([longs(0x10000), words(tags.length, 16 * power, Math.log2(power),
    16 * (tags.length - power)), ...directory, ...bodies]);
  const head = directory[2 * tags.indexOf('head') + 1].readUInt32BE(4);
  file.writeUInt32BE((0xb1b0afba - checksum(file)) >>> 0, head + 8);
  return file;
}

/** A font file with the characters of `text` that the font of these tables has; null where it has none of them. */
export function subset(tables, text) {
  const wanted = new Set(text);
  const pairs = glyphsOf(tables.cmap).filter(([code]) => wanted.has(String.fromCharCode(code)))
    .sort(([a], [b]) => a - b);
  if (pairs.length === 0) return null;
  const glyphs = [0];  // of the old font, in the order of the new one
  const number = new Map([[0, 0]]);
  const add = (glyph) => number.has(glyph) || (number.set(glyph, glyphs.length), glyphs.push(glyph));
  pairs.forEach(([, glyph]) => add(glyph));
  const outlines = [];
  for (let i = 0; i < glyphs.length; ++i) {  // grows while it is walked: components are glyphs too
    const bytes = Buffer.from(outline(tables, glyphs[i]));
    for (const at of components(bytes)) {
      add(bytes.readUInt16BE(at));
      bytes.writeUInt16BE(number.get(bytes.readUInt16BE(at)), at);
    }
    outlines.push(padded(bytes));
  }
  const [head, hhea, maxp, post] = ['head', 'hhea', 'maxp', 'post'].map((tag) => Buffer.from(tables[tag]));
  head.writeUInt32BE(0, 8);   // the checksum of the file is worked out with 0 here
  head.writeInt16BE(1, 50);   // `loca` in long words
  hhea.writeUInt16BE(glyphs.length, 34);
  maxp.writeUInt16BE(glyphs.length, 4);
  let end = 0;
  const loca = longs(0, ...outlines.map((bytes) => end += bytes.length));
  post.writeUInt32BE(0x30000, 0);  // glyphs have no names
  return fontFile({
    head, hhea, maxp, loca,
    post: post.subarray(0, 32),
    cmap: characterMap(pairs.map(([code, glyph]) => [code, number.get(glyph)])),
    glyf: Buffer.concat(outlines),
    hmtx: words(...glyphs.flatMap((glyph) => metricsOf(tables, glyph))),
    name: names(tables.name),
    'OS/2': tables['OS/2'],
  });
}

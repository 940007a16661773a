// Puts the characters that an SVG shows into it, so that it looks the same where Roboto is not installed.
import {subset} from './font_subset.js';

const entities = {lt: '<', gt: '>', amp: '&', quot: '"', apos: "'"};
const decoded = (text) => text.replace(/&(#x[0-9a-f]+|#\d+|\w+);/gi, (whole, name) => {
  if (name[0] !== '#') return entities[name] ?? whole;
  return String.fromCodePoint(Number(name[1] === 'x' ? '0' + name.slice(1) : name.slice(1)));
});

export const isBold = (weight) => weight === 'bold' || Number(weight) >= 600;

/** The characters of a drawing's texts, {regular, bold}, as one string each. */
export function charactersOf(svg) {
  const characters = {regular: '', bold: ''};
  for (const [, attributes, content] of svg.matchAll(/<text\b([^>]*)>(.*?)<\/text>/gs)) {
    const weight = /\bfont-weight="([^"]*)"/.exec(attributes)?.[1];
    characters[isBold(weight) ? 'bold' : 'regular'] += decoded(content.replace(/<[^>]*>/g, ''));
  }
  return characters;
}

/** The drawing with a @font-face for each weight it uses; `fonts`: {regular, bold}, tables of each. */
export function embedFont(svg, fonts) {
  const characters = charactersOf(svg);
  const faces = [['regular', 400], ['bold', 700]].map(([name, weight]) => {
    const file = subset(fonts[name], characters[name]);
    return file === null ? '' : `@font-face{font-family:Roboto;font-weight:${weight};` +
      `src:url(data:font/ttf;base64,${file.toString('base64')}) format("truetype")}`;
  }).join('');
  return faces === '' ? svg : svg.replace(/<svg\b[^>]*>/, (open) => `${open}<style>${faces}</style>`);
}

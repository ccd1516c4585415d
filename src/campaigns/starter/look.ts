// The colours and fonts of a starter template, from the brand: everything that has text on it gets text that can be read
// (contrast 4.5 or more), in light and dark, whatever colour was chosen. Pure.
import { mixed, readableOn, textOn } from '../model/colour.ts';
import { type Brand, fonts, plainBrand } from '../model/plain-brand.ts';

export type Look = ReturnType<typeof lookOf>;

/** Of the content in dark mode. */
const darkSheet = '#1d2026';
/** Around the content in dark mode. */
const darkGround = '#121418';

export function lookOf(brand: Brand) {
  const { colour } = brand;
  const tint = mixed(colour, '#ffffff', 0.87);
  const darkTint = mixed(colour, darkSheet, 0.86);
  const deep = mixed(colour, '#0b0e14', 0.66);
  return {
    brand,
    font: fonts[brand.font],
    /** Of headlines in an editorial design: the font of the brand, or, where none was chosen, one that goes with the plain one. */
    serif: fonts[brand.font === plainBrand.font ? 'georgia' : brand.font],
    grounds: { sheet: '#ffffff', tint, brand: colour, deep },
    /** Behind pictures in the text. */
    pale: mixed(colour, '#ffffff', 0.76),
    ink: '#14171c',
    text: '#3a414b',
    soft: readableOn('#5f6873', tint),
    line: '#dfe3e8',
    link: readableOn(colour, tint),
    onBrand: textOn(colour),
    /** Words on a button that has the colour of words on the brand colour. */
    onLight: readableOn(colour, textOn(colour)),
    onDeep: textOn(deep),
    /** Text on the background around the content. */
    outside: readableOn('#5f6873', brand.background),
    dark: {
      ground: darkGround,
      sheet: darkSheet,
      tint: darkTint,
      pale: mixed(colour, darkSheet, 0.6),
      ink: '#f4f5f7',
      text: '#d0d4da',
      soft: '#a7afba',
      line: '#3a3f47',
      link: readableOn(readableOn(colour, darkTint), darkSheet),
    },
  };
}

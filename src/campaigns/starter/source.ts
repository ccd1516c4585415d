// The HTML of a starter template: its design (designs/), in the look of a brand, with its words in a language (words/). Pure but for
// reading these files once.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Picture } from '../content/pictures/picture.ts';
import type { Brand } from '../model/plain-brand.ts';
import { type StarterKey, type StarterLanguage, starterLanguages } from './catalogue.ts';
import { type Design, drawing } from './design.ts';
import { announcement, changelog, productNews } from './designs/company.ts';
import { digest, letter, magazine, minimal, podcast } from './designs/newsletters.ts';
import { anniversary, event, invite, offer } from './designs/offers.ts';
import { cart, receipt, reEngagement, shipping, survey } from './designs/service.ts';
import { welcome1, welcome2, welcome3 } from './designs/welcome.ts';
import { lookOf } from './look.ts';
import { page } from './page.ts';
import { starterArt } from './pictures.ts';

const designs: Record<StarterKey, Design> = {
  letter,
  digest,
  magazine,
  podcast,
  minimal,
  productNews,
  changelog,
  announcement,
  offer,
  invite,
  anniversary,
  event,
  welcome1,
  welcome2,
  welcome3,
  cart,
  reEngagement,
  receipt,
  shipping,
  survey,
};

export type StarterOf = {
  brand: Brand;
  language: StarterLanguage;
  /** The address of a drawing. */
  addressOf(picture: Picture): string;
};

export function starterSource(key: StarterKey, { brand, language, addressOf }: StarterOf): string {
  const w = wordsOf(key, language);
  const look = lookOf(brand);
  const art = (name: string) => {
    const picture = starterArt().get(name);
    if (!picture) throw new Error(`there is no drawing ${name}`);
    return { src: addressOf(picture), width: picture.width, height: picture.height, alt: w(`art.${name}`) };
  };
  const { rows, width } = designs[key](drawing(look, w, art));
  const footer = { why: w('why'), unsubscribe: w('unsubscribe'), update: w('update'), browser: w('browser') };
  return page(look, { language, preview: w('preview'), rows, footer, ...(width ? { width } : {}) });
}

/** The language of starter templates for an account with this language. */
export const starterLanguage = (language: string): StarterLanguage =>
  starterLanguages.find((known) => known === language.slice(0, 2).toLowerCase()) ?? 'en';

type Words = Record<string, Record<string, string>>;
const read = new Map<StarterLanguage, Words>();

export function starterWords(language: StarterLanguage): Words {
  const known = read.get(language);
  if (known) return known;
  const words = JSON.parse(readFileSync(join(import.meta.dirname, 'words', `${language}.json`), 'utf8')) as Words;
  read.set(language, words);
  return words;
}

function wordsOf(key: StarterKey, language: StarterLanguage): (name: string) => string {
  const words = starterWords(language);
  return (name) => {
    const text = words[key]?.[name] ?? words['common']?.[name];
    if (text === undefined) throw new Error(`${key} has no words for ${name} in ${language}`);
    return text;
  };
}

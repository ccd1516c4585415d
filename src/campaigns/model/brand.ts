// The brand of an account: logo, colours, font and footer. Stored once, among the settings of the account. Starter templates,
// the visual editor and the public pages use it. Text on the brand colour can always be read: its colour is not chosen,
// but the one of black and white with more contrast.

import { type Queries, sql } from '../../db/connect.ts';
import { contrast, isColour, textOn } from './colour.ts';

/** Fonts that email clients have, by the name that is stored. */
export const fonts = {
  arial: 'Arial,Helvetica,sans-serif',
  verdana: 'Verdana,Geneva,sans-serif',
  tahoma: 'Tahoma,Geneva,sans-serif',
  trebuchet: "'Trebuchet MS',Helvetica,sans-serif",
  georgia: 'Georgia,serif',
  times: "'Times New Roman',Times,serif",
} as const;
export type FontName = keyof typeof fonts;
export const fontNames = Object.keys(fonts) as FontName[];

export type Brand = {
  /** Address of the logo; "" for the name in letters. */
  logoUrl: string;
  /** Of bands, buttons and links. */
  colour: string;
  /** Around the content of an email. */
  background: string;
  font: FontName;
  /** A line above the address in the footer of starter templates. */
  footer: string;
};

export const plainBrand: Brand = { logoUrl: '', colour: '#1f5fbf', background: '#eef1f5', font: 'arial', footer: '' };

/** What is stored may come from an earlier release: a value that is not valid has its default. */
export function brandFrom(stored: unknown): Brand {
  const given = (typeof stored === 'object' && stored !== null ? stored : {}) as Record<string, unknown>;
  const text = (name: keyof Brand) => (typeof given[name] === 'string' ? (given[name] as string) : plainBrand[name]);
  const colour = (name: 'colour' | 'background') => (isColour(text(name)) ? text(name) : plainBrand[name]);
  return {
    logoUrl: text('logoUrl'),
    colour: colour('colour'),
    background: colour('background'),
    font: Object.hasOwn(fonts, text('font')) ? (text('font') as FontName) : plainBrand.font,
    footer: text('footer'),
  };
}

export async function brandOf(db: Queries, accountId: number): Promise<Brand> {
  const row = await db.row<{ brand: unknown }>(
    sql`select settings -> 'brand' as brand from account where id = ${accountId}`,
  );
  return brandFrom(row?.brand);
}

/** The brand as methods return it. */
export function brandRecord(brand: Brand) {
  const text = textOn(brand.colour);
  return {
    logo_url: brand.logoUrl,
    color: brand.colour,
    background: brand.background,
    font: brand.font,
    font_family: fonts[brand.font],
    footer: brand.footer,
    text_on_color: text,
    contrast: Math.round(contrast(text, brand.colour) * 10) / 10,
  };
}

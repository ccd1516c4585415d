// The brand of an account: logo, colours, font and footer. Stored once, among the settings of the account. Starter templates,
// the visual editor and the public pages use it. Text on the brand colour can always be read: its colour is not chosen,
// but the one of black and white with more contrast.

import { type Queries, sql } from '../../db/connect.ts';
import { contrast, isColour, textOn } from './colour.ts';
import { type Brand, type FontName, fonts, plainBrand } from './plain-brand.ts';

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

// The methods that read and change the brand of the account.
import { z } from 'zod';
import type { Context } from '../../base/context.ts';
import { sql } from '../../db/connect.ts';
import { method } from '../../method/method.ts';
import { named } from '../../method/named.ts';
import { isWebAddress, line, oneOf, params, problem, text } from '../../method/params.ts';
import { assetNames, dropUnused } from '../content/pictures/asset.ts';
import { brandOf, brandRecord } from '../model/brand.ts';
import { isColour } from '../model/colour.ts';
import { type Brand, fontNames } from '../model/plain-brand.ts';
import { redrawStarterTemplates } from '../starter/starter.ts';

const colour = (description: string) =>
  text(description, 7).refine((value) => isColour(value as string), problem('brand.not_a_colour'));

const record = named(
  'Brand',
  z.object({
    logo_url: z.string().meta({ description: 'URL of the logo; "" for the name in letters.' }),
    color: z.string().meta({ description: 'The colour of bands, buttons and links, as #rrggbb.' }),
    background: z.string().meta({ description: 'The colour around the content of an email.' }),
    font: z.string(),
    font_family: z.string().meta({ description: 'The font with its substitutes, as in a style.' }),
    footer: z.string(),
    text_on_color: z
      .string()
      .meta({ description: 'The colour of text on `color`: of black and white, what reads better.' }),
    contrast: z.number().meta({ description: 'The contrast of the two; 4.5 and more can be read well (WCAG 2.2).' }),
  }),
);

export const brandMethods = [
  method({
    name: 'brandGet',
    group: 'templates',
    summary: 'Returns the brand of the account: logo, colours, font and footer.',
    description:
      'Starter templates, the colours of the visual editor and the public pages (sign-up, confirmation, unsubscribe, preferences, archive) use it.',
    params: params({}),
    returns: record,
    faults: [],
    scope: 'read',
    narrowed: true,
    reads: true,
    example: { params: {} },
    run: async ({ tx, account }) => brandRecord(await brandOf(tx, account.id)),
  }),
  method({
    name: 'brandUpdate',
    group: 'templates',
    summary: 'Changes the brand of the account; returns it as it is then.',
    description:
      'What is not given stays. The public pages change at once, and so do starter templates that are still as they came; templates that were edited and campaigns stay as they are.',
    params: params({
      logo_url: line('URL of the logo, such as that of an uploaded image; "" for none.', 500)
        .refine((value) => value === '' || isWebAddress(value as string), problem('account.website'))
        .optional(),
      color: colour('The colour of bands, buttons and links, as #rrggbb.').optional(),
      background: colour('The colour around the content of an email, as #rrggbb.').optional(),
      font: oneOf('The font.', fontNames).optional(),
      footer: text('A line above the address in the footer of starter templates.', 500).optional(),
    }),
    returns: record,
    faults: [],
    scope: 'write',
    example: { params: { color: '#0f766e', font: 'georgia' } },
    run: updateBrand,
  }),
];

type Given = { logo_url?: string; color?: string; background?: string; font?: Brand['font']; footer?: string };

async function updateBrand({ app, tx, account }: Context, given: Given) {
  const before = await brandOf(tx, account.id);
  const brand: Brand = {
    logoUrl: given.logo_url ?? before.logoUrl,
    colour: (given.color ?? before.colour).toLowerCase(),
    background: (given.background ?? before.background).toLowerCase(),
    font: given.font ?? before.font,
    footer: given.footer ?? before.footer,
  };
  await tx.run(sql`
    update account
    set settings = settings || jsonb_build_object('brand', ${JSON.stringify(brand)}::jsonb)
    where id = ${account.id}`);
  await redrawStarterTemplates(app, tx, account.id, { before, after: brand });
  await dropUnused(tx, account.id, assetNames(before.logoUrl, account.id));
  return brandRecord(brand);
}

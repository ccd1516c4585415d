// The templates that every new account starts with, drawn from its brand. The account gets copies that it can change; those
// that it has not changed follow the brand.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { escapeHtml } from '../../base/html.ts';
import { type Queries, sql } from '../../db/connect.ts';
import { enqueue } from '../../jobs/queue.ts';
import type { Payload, TaskContext } from '../../jobs/tasks.ts';
import { brandOf } from '../model/brand.ts';
import { readableOn, textOn } from '../model/colour.ts';
import { type Brand, fonts, plainBrand } from '../model/plain-brand.ts';

const fileOf = (name: string) => readFileSync(join(import.meta.dirname, 'html', `${name}.html`), 'utf8');
/** What is around the content of each: the styles, the link to the web version, the footer. */
const frame = fileOf('frame');

/** The first line of a file is the preview text of the inbox, which is not seen; the others are rows of the table. */
function read(name: string): string {
  const [, hidden, rows] = /^(.*)\n([\s\S]*)\n$/.exec(fileOf(name))!;
  return frame.replace('{hidden}', () => hidden!).replace('{rows}', () => rows!);
}

/** Drawn with the plain brand, whose values `branded` replaces. */
export const starterTemplates = [
  { name: 'Letter', layout: 'basic', source: read('basic') },
  { name: 'Personal letter', layout: 'basic', source: read('plain-letter') },
  { name: 'Digest', layout: 'basic', source: read('digest') },
  { name: 'Product news', layout: 'basic', source: read('product-news') },
  { name: 'Offer', layout: 'basic', source: read('offer') },
  { name: 'Event', layout: 'basic', source: read('event') },
  { name: 'Welcome', layout: 'basic', source: read('welcome') },
  { name: 'Receipt', layout: 'basic', source: read('receipt') },
  { name: 'Survey', layout: 'basic', source: read('survey') },
  { name: 'News with a column on the left', layout: 'left column', source: read('left-column') },
  { name: 'News with a column on the right', layout: 'right column', source: read('right-column') },
  { name: 'Postcard', layout: 'postcard', source: read('postcard') },
] as const;

/** Colours of the files beside those of the brand: links in dark mode, text on bands, and small text on the background. */
const drawn = { darkLink: '#6792d3', darkSheet: '#22252b', onBand: ';color:#ffffff', soft: '#5f6873' };
const drawnFont = fonts[plainBrand.font];

/** A starter template in the colours, font, logo and footer of a brand. Text stays readable on every colour. */
export function branded(source: string, brand: Brand): string {
  const { colour, background } = brand;
  const band = '>*|LIST:NAME|*</td>';
  /** The name above a headline in a large field, in the middle. */
  const above = '>*|LIST:NAME|*</p>';
  const logo = (display: string) =>
    `<img src="${escapeHtml(brand.logoUrl)}" alt="*|LIST:NAME|*" height="36" style="display:${display};height:36px;max-width:220px;border:0">`;
  const footer =
    brand.footer.trim() === '' ? '' : `${escapeHtml(brand.footer.trim()).replaceAll(/\r?\n/g, '<br>')}<br>\n`;
  const links = /(a \{ color: |class="link"[^>]*style="color:)#1f5fbf/g;
  return source
    .replace(links, (_, before: string) => `${before}${readableOn(colour, '#ffffff')}`)
    .replaceAll(drawn.darkLink, readableOn(colour, drawn.darkSheet))
    .replaceAll(drawn.onBand, `;color:${textOn(colour)}`)
    .replaceAll(drawn.soft, readableOn(drawn.soft, background))
    .replaceAll(plainBrand.colour, colour)
    .replaceAll(plainBrand.background, background)
    .replaceAll(drawnFont, fonts[brand.font])
    .replace(band, () => (brand.logoUrl === '' ? band : `>${logo('block')}</td>`))
    .replace(above, () => (brand.logoUrl === '' ? above : `>${logo('inline-block')}</p>`))
    .replace('\n*|LIST:COMPANY|*<br>\n*|LIST:ADDRESS|*', (address) => `\n${footer}${address.slice(1)}`);
}

/** Adds the starter templates whose names the account does not have yet, in the colours of its brand. */
export async function addStarterTemplates(db: Queries, accountId: number): Promise<void> {
  const brand = await brandOf(db, accountId);
  const given = starterTemplates.map((template) => ({ ...template, source: branded(template.source, brand) }));
  const rows = await db.rows<{ id: number }>(sql`
    insert into template (account_id, name, layout, source, created_at)
    select account.id, given.name, given.layout, given.source, clock_timestamp()
    from account,
      jsonb_to_recordset(${JSON.stringify(given)}::jsonb) as given(name text, layout text, source text)
    where account.id = ${accountId}
      and not exists (
        select from template t
        where t.account_id = account.id and t.name = given.name
      )
    returning id`);
  for (const { id } of rows) await requestPreview(db, accountId, id);
}

/** Gives the new brand to the starter templates that are still as they came with the former one. */
export async function redrawStarterTemplates(
  db: Queries,
  accountId: number,
  before: Brand,
  after: Brand,
): Promise<void> {
  const changes = starterTemplates.map(({ source }) => ({
    before: branded(source, before),
    after: branded(source, after),
  }));
  const rows = await db.rows<{ id: number }>(sql`
    update template t
    set source = change.after, preview = null, changed_at = now()
    from jsonb_to_recordset(${JSON.stringify(changes)}::jsonb) as change(before text, after text)
    where t.account_id = ${accountId}
      and t.source = change.before
      and change.after <> change.before
    returning t.id`);
  for (const { id } of rows) await requestPreview(db, accountId, id);
}

/** Queues a new preview picture of a template; several changes in a row cause one. */
export async function requestPreview(db: Queries, accountId: number, templateId: number): Promise<void> {
  await enqueue(
    db,
    'drawPreview',
    { account_id: accountId, template_id: templateId },
    { key: `preview ${accountId} ${templateId}` },
  );
}

/** A task, because the code that creates accounts must not depend on templates. */
export async function addTemplatesTask(
  { app }: TaskContext,
  { account_id }: Payload<'addStarterTemplates'>,
): Promise<void> {
  await app.db.transaction((tx) => addStarterTemplates(tx, account_id));
}

// What the email of an automation begins with: the text of its draft in the look of the brand, as starter templates have it, with the
// words around it in the language of its readers.
import { escapeHtml } from '../../base/html.ts';
import type { Queries } from '../../db/connect.ts';
import { text } from '../../locales/text.ts';
import { brandOf } from '../model/brand.ts';
import { lookOf } from './look.ts';
import { header, page } from './page.ts';
import { sampleMessage } from './sample-message.ts';
import { Surface } from './surface.ts';

/** `words`: plain text; where there are none, a sample to write over. `more`: HTML below it. */
export type Beginning = { words: string; more?: string };

export async function automatedEmail(
  db: Queries,
  account: number,
  language: string,
  { words, more = '' }: Beginning,
): Promise<string> {
  const look = lookOf(await brandOf(db, account));
  const sheet = new Surface(look, 'sheet');
  const below = `<div class="text" style="${sheet.type(16, 26, look.text)}">${more}</div>`;
  return page(look, {
    language,
    preview: '',
    rows: [
      header(new Surface(look, 'brand'), { top: 24, bottom: 24 }),
      sheet.p(escapeHtml(words || sampleMessage(language)), { top: 40, bottom: more === '' ? 40 : 8 }),
      ...(more === '' ? [] : [sheet.row(below, { bottom: 40 })]),
    ],
    footer: {
      why: escapeHtml(text(language, 'mail.footer-why')),
      unsubscribe: escapeHtml(text(language, 'mail.unsubscribe')),
      update: escapeHtml(text(language, 'mail.profile')),
      browser: escapeHtml(text(language, 'mail.view')),
    },
  });
}

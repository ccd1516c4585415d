// The beginning of an email as an inbox shows it after the subject.
import { parsedMail } from './parsed-mail.ts';

/** The beginning of the text, which inboxes show after the subject. Parsing a document runs no script. */
export function firstWords(html: string, plain = ''): string {
  if (html === '') return plain.slice(0, 140);
  const page = parsedMail(html);
  for (const element of page.querySelectorAll('style, script, title')) element.remove();
  for (const block of page.querySelectorAll('td, th, p, div, br, li, h1, h2, h3, h4')) block.after(' ');
  return (page.body.textContent ?? '')
    .replace(/(?:\s|\u034f|[\u200b-\u200f\u2060\ufeff])+/g, ' ')
    .trim()
    .slice(0, 140);
}

// The texts of a list's own mails and pages: what they are, their defaults in every language, and what an owner has
// made of them. A text of the owner's language comes first, then the owner's for every language, then the program's.

import { escapeHtml } from '../../base/html.ts';
import { type Queries, sql } from '../../db/connect.ts';
import { languageFor, text } from '../../locales/text.ts';

type Kind = 'line' | 'plain' | 'html';
type ListText = {
  /** The key of the default in the locale files; none: built from the text of the same mail. */
  key?: string;
  kind: Kind;
  /** Tags that may stand in it beside those of the list. */
  tags: 'none' | 'address' | 'confirm' | 'contact';
  summary: string;
};

/** THE list of texts an owner may change. */
export const listTextNames = {
  'form.title': { key: 'form.title', kind: 'line', tags: 'none', summary: 'Title of the sign-up form.' },
  'form.intro': { key: 'form.intro', kind: 'plain', tags: 'none', summary: 'What stands above the form.' },
  'form.consent': { key: 'form.consent', kind: 'plain', tags: 'none', summary: 'What a visitor agrees to.' },
  'form.button': { key: 'form.button', kind: 'line', tags: 'none', summary: 'The button of the form.' },
  'form.thanks': { key: 'form.thanks', kind: 'plain', tags: 'none', summary: 'What is shown after the form was sent.' },
  'confirm.subject': {
    key: 'confirm.subject',
    kind: 'line',
    tags: 'address',
    summary: 'Subject of the mail that asks to confirm.',
  },
  'confirm.text': {
    key: 'confirm.mail',
    kind: 'plain',
    tags: 'confirm',
    summary: 'Plain text of the mail that asks to confirm.',
  },
  'confirm.html': { kind: 'html', tags: 'confirm', summary: 'HTML of the mail that asks to confirm.' },
  'confirm.title': {
    key: 'confirm.title',
    kind: 'line',
    tags: 'address',
    summary: 'Title of the page that asks to confirm.',
  },
  'confirm.ask': { key: 'confirm.ask', kind: 'plain', tags: 'address', summary: 'The question on that page.' },
  'confirm.button': { key: 'confirm.button', kind: 'line', tags: 'none', summary: 'Its button.' },
  'confirm.done': {
    key: 'confirm.done',
    kind: 'plain',
    tags: 'address',
    summary: 'What is shown after the button was pressed.',
  },
  'welcome.subject': { key: 'welcome.subject', kind: 'line', tags: 'contact', summary: 'Subject of the welcome mail.' },
  'welcome.text': { key: 'welcome.mail', kind: 'plain', tags: 'contact', summary: 'Plain text of the welcome mail.' },
  'welcome.html': { kind: 'html', tags: 'contact', summary: 'HTML of the welcome mail.' },
  'goodbye.subject': { key: 'goodbye.subject', kind: 'line', tags: 'contact', summary: 'Subject of the goodbye mail.' },
  'goodbye.text': { key: 'goodbye.mail', kind: 'plain', tags: 'contact', summary: 'Plain text of the goodbye mail.' },
  'goodbye.html': { kind: 'html', tags: 'contact', summary: 'HTML of the goodbye mail.' },
  'unsubscribe.done': {
    key: 'unsubscribe.done',
    kind: 'plain',
    tags: 'none',
    summary: 'What is shown after unsubscribing.',
  },
} as const satisfies Record<string, ListText>;

export type ListTextName = keyof typeof listTextNames;

export const maxTextLength = { line: 300, plain: 5_000, html: 100_000 } as const;

/** The texts of a list in one language; a function from the name to the text, with merge tags in it still. */
export async function textsOf(
  db: Queries,
  accountId: number,
  listId: number,
  wanted: string,
): Promise<(name: ListTextName) => string> {
  const language = languageFor(wanted);
  const rows = await db.rows<{ name: ListTextName; language: string; value: string }>(sql`
    select name, language, value
    from list_text
    where account_id = ${accountId}
      and list_id = ${listId}
      and language in ('', ${language})`);
  return resolved(rows, language);
}

/** The same from rows that were read before. */
export function resolved(
  rows: readonly { name: ListTextName; language: string; value: string }[],
  language: string,
): (name: ListTextName) => string {
  const own = (name: ListTextName) =>
    (
      rows.find((row) => row.name === name && row.language === language) ??
      rows.find((row) => row.name === name && row.language === '')
    )?.value;
  return (name) => {
    const one: ListText = listTextNames[name];
    const found = own(name);
    if (found !== undefined) return found;
    if (one.key !== undefined) return defaultText(name, language);
    const plain = name.replace('.html', '.text') as ListTextName;
    const button = name === 'confirm.html' ? text(language, 'confirm.title') : undefined;
    return htmlOfPlain(own(plain) ?? defaultText(plain, language), language, button);
  };
}

/** The program's own text, with merge tags for what a mail fills in. */
export function defaultText(name: ListTextName, language: string): string {
  const one: ListText = listTextNames[name];
  if (one.key === undefined) return resolved([], language)(name);
  return text(language, one.key, {
    list: '*|LIST:NAME|*',
    email: '*|EMAIL|*',
    url: name.startsWith('confirm.') ? '*|CONFIRM|*' : '*|UNSUB|*',
  });
}

/** A plain text as simple HTML for a mail: paragraphs; an address on a line of its own becomes a button or a link. */
export function htmlOfPlain(plain: string, language: string, button: string | undefined): string {
  const line = (one: string) => {
    if (one.trim() === '*|CONFIRM|*' && button !== undefined)
      return `<a href="*|CONFIRM|*" style="display:inline-block;margin:8px 0;padding:12px 22px;border-radius:6px;background:#2f6fde;color:#ffffff;font-weight:bold;text-decoration:none">${escapeHtml(button)}</a><br><span style="font-size:13px;color:#5b6470;word-break:break-all">*|CONFIRM|*</span>`;
    return escapeHtml(one).replace(
      /\*\|(CONFIRM|UNSUB|UPDATE_PROFILE)\|\*/g,
      '<a href="*|$1|*" style="color:#2f6fde;word-break:break-all">*|$1|*</a>',
    );
  };
  const paragraphs = plain
    .split(/\n{2,}/)
    .map((one) => `<p style="margin:0 0 16px">${one.split('\n').map(line).join('<br>\n')}</p>`);
  return `<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"></head>
<body style="margin:0;padding:24px;font:16px/1.55 system-ui,-apple-system,'Segoe UI',Roboto,sans-serif"><div style="max-width:560px;margin:0 auto">
${paragraphs.join('\n')}
</div></body></html>
`;
}

const tagPattern = /\*\|([A-Z][^|*\r\n]{0,250})\|\*/g;

/** Fills in `*|TAG|*` and `*|TAG:default|*`; a tag that is not known shows its default or nothing. */
export function fillTags(line: string, values: Readonly<Record<string, string>>, form: 'plain' | 'html'): string {
  return line.replace(tagPattern, (_all, inner: string) => {
    const { name, otherwise } = splitTag(inner, values);
    const value = (Object.hasOwn(values, name) && values[name]) || otherwise;
    return form === 'html' ? escapeHtml(value) : value;
  });
}

/** LIST:NAME is a name with a colon; in FNAME:friend the colon begins what stands for a missing value. */
function splitTag(inner: string, values: Readonly<Record<string, unknown>>): { name: string; otherwise: string } {
  const colon = inner.indexOf(':', inner.startsWith('LIST:') ? 5 : 0);
  if (colon < 0 || Object.hasOwn(values, inner)) return { name: inner, otherwise: '' };
  return { name: inner.slice(0, colon), otherwise: inner.slice(colon + 1) };
}

/** The tags a text uses. */
export const tagsIn = (line: string): string[] =>
  [...line.matchAll(tagPattern)].map((match) => splitTag(match[1]!, {}).name);

/** The tags that may stand in a text; `fields` are those of the list. */
export function tagsFor(name: ListTextName, fields: readonly string[]): string[] {
  const ofList = ['LIST:NAME', 'LIST:COMPANY', 'LIST:ADDRESS', 'LIST:URL'];
  switch (listTextNames[name].tags) {
    case 'none':
      return ofList;
    case 'address':
      return [...ofList, 'EMAIL'];
    // Nothing that a visitor typed goes to an address before its owner has agreed.
    case 'confirm':
      return [...ofList, 'EMAIL', 'CONFIRM'];
    case 'contact':
      return [...ofList, 'UNSUB', 'UPDATE_PROFILE', ...fields];
  }
}

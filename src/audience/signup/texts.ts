// The texts of a list's automatic messages and pages: their names, their defaults in every language, and the owner's
// versions. An owner's text for the language comes first, then the owner's text for all languages, then the default.
import { escapeHtml, withBdi } from '../../base/html.ts';
import { type Queries, sql } from '../../db/connect.ts';
import { isRightToLeft } from '../../locales/languages.ts';
import { languageFor, text } from '../../locales/text.ts';

export const textKinds = ['line', 'plain', 'html'] as const;
type Kind = (typeof textKinds)[number];
type ListText = {
  /** The key of the default in the locale files; without one, HTML is built from the plain text, and other texts are empty. */
  key?: string;
  kind: Kind;
  /** Tags that are allowed besides those of the list. */
  tags: 'none' | 'address' | 'confirm' | 'contact';
  summary: string;
};

/** THE list of texts an owner can change. */
export const listTextNames = {
  'form.title': { key: 'form.title', kind: 'line', tags: 'none', summary: 'Title of the sign-up form.' },
  'form.intro': { key: 'form.intro', kind: 'plain', tags: 'none', summary: 'Introduction above the form.' },
  'form.about': {
    kind: 'plain',
    tags: 'none',
    summary: 'Text of the hosted page beside the form, such as what the emails are about.',
  },
  'form.consent': { key: 'form.consent', kind: 'plain', tags: 'none', summary: 'What a visitor agrees to.' },
  'form.button': { key: 'form.button', kind: 'line', tags: 'none', summary: 'Button of the form.' },
  'form.thanks': { key: 'form.thanks', kind: 'plain', tags: 'none', summary: 'Shown after the form was sent.' },
  'confirm.subject': {
    key: 'confirm.subject',
    kind: 'line',
    tags: 'address',
    summary: 'Subject of the confirmation message.',
  },
  'confirm.text': {
    key: 'confirm.mail',
    kind: 'plain',
    tags: 'confirm',
    summary: 'Plain text of the confirmation message.',
  },
  'confirm.html': { kind: 'html', tags: 'confirm', summary: 'HTML of the confirmation message.' },
  'confirm.title': {
    key: 'confirm.title',
    kind: 'line',
    tags: 'address',
    summary: 'Title of the confirmation page.',
  },
  'confirm.ask': { key: 'confirm.ask', kind: 'plain', tags: 'address', summary: 'Question on the confirmation page.' },
  'confirm.button': { key: 'confirm.button', kind: 'line', tags: 'none', summary: 'Button of the confirmation page.' },
  'confirm.done': {
    key: 'confirm.done',
    kind: 'plain',
    tags: 'address',
    summary: 'Shown after confirming.',
  },
  'welcome.subject': {
    key: 'welcome.subject',
    kind: 'line',
    tags: 'contact',
    summary: 'Subject of the welcome message.',
  },
  'welcome.text': {
    key: 'welcome.mail',
    kind: 'plain',
    tags: 'contact',
    summary: 'Plain text of the welcome message.',
  },
  'welcome.html': { kind: 'html', tags: 'contact', summary: 'HTML of the welcome message.' },
  'goodbye.subject': {
    key: 'goodbye.subject',
    kind: 'line',
    tags: 'contact',
    summary: 'Subject of the goodbye message.',
  },
  'goodbye.text': {
    key: 'goodbye.mail',
    kind: 'plain',
    tags: 'contact',
    summary: 'Plain text of the goodbye message.',
  },
  'goodbye.html': { kind: 'html', tags: 'contact', summary: 'HTML of the goodbye message.' },
  'unsubscribe.done': {
    key: 'unsubscribe.done',
    kind: 'plain',
    tags: 'none',
    summary: 'Shown after unsubscribing.',
  },
} as const satisfies Record<string, ListText>;

export type ListTextName = keyof typeof listTextNames;
export const textNames = Object.keys(listTextNames) as ListTextName[];

export const maxTextLength = { line: 300, plain: 5_000, html: 100_000 } as const;

/** An owner's text; language '' for every language that has none of its own. */
export type OwnText = { name: ListTextName; language: string; value: string };

/** Texts as they will be with these changes: an empty one is removed. */
export const withChanges = (rows: readonly OwnText[], changes: readonly OwnText[]): OwnText[] => [
  ...changes.filter(({ value }) => value.trim() !== ''),
  ...rows.filter((row) => !changes.some(({ name, language }) => name === row.name && language === row.language)),
];

/** The texts of a list in one language, by name; with their merge tags. @param changes that are not saved */
export async function textsOf(
  db: Queries,
  accountId: number,
  listId: number,
  requested: string,
  changes: readonly OwnText[] = [],
): Promise<(name: ListTextName) => string> {
  const language = languageFor(requested);
  const rows = await db.rows<OwnText>(sql`
    select name, language, value
    from list_text
    where account_id = ${accountId}
      and list_id = ${listId}
      and language in ('', ${language})`);
  return textsFrom(withChanges(rows, changes), language);
}

/** The same from rows that were read before. */
export function textsFrom(rows: readonly OwnText[], language: string): (name: ListTextName) => string {
  const edited = (name: ListTextName) =>
    (
      rows.find((row) => row.name === name && row.language === language) ??
      rows.find((row) => row.name === name && row.language === '')
    )?.value;
  return (name) => {
    const listText: ListText = listTextNames[name];
    const ownerText = edited(name);
    if (ownerText !== undefined) return ownerText;
    if (listText.key !== undefined) return defaultText(name, language);
    if (listText.kind !== 'html') return '';
    const plain = name.replace('.html', '.text') as ListTextName;
    const button = name === 'confirm.html' ? text(language, 'confirm.title') : undefined;
    return htmlOfPlain(edited(plain) ?? defaultText(plain, language), language, button);
  };
}

/** The default text, with merge tags for what a message fills in. */
export function defaultText(name: ListTextName, language: string): string {
  const listText: ListText = listTextNames[name];
  if (listText.key === undefined) return textsFrom([], language)(name);
  return text(language, listText.key, {
    list: '*|LIST:NAME|*',
    email: '*|EMAIL|*',
    url: name.startsWith('confirm.') ? '*|CONFIRM|*' : '*|UNSUB|*',
  });
}

/** A plain text as HTML for the frame of src/mail/list-frame.ts: *|CONFIRM|* on a line of its own is a button, other links have words. */
function htmlOfPlain(plain: string, language: string, button: string | undefined): string {
  const words = { UNSUB: 'mail.unsubscribe', UPDATE_PROFILE: 'mail.profile' } as const;
  const isButton = (line: string) => line.trim() === '*|CONFIRM|*' && button !== undefined;
  const lineHtml = (line: string) =>
    escapeHtml(line).replace(
      /\*\|(CONFIRM|UNSUB|UPDATE_PROFILE)\|\*/g,
      (tag, name: 'CONFIRM' | keyof typeof words) =>
        `<a href="${tag}">${name === 'CONFIRM' ? tag : escapeHtml(text(language, words[name]))}</a>`,
    );
  const paragraph = (lines: readonly string[]) =>
    lines.length === 0 ? [] : [`<p>${lines.map(lineHtml).join('<br>\n')}</p>`];
  const html = plain
    .split(/\n{2,}/)
    .flatMap((part) => {
      const lines = part.split('\n');
      const at = lines.findIndex(isButton);
      if (at < 0) return paragraph(lines);
      return [
        ...paragraph(lines.slice(0, at)),
        `<p><a class="button" href="*|CONFIRM|*">${escapeHtml(button!)}</a></p>`,
        `<p class="soft"><a href="*|CONFIRM|*">${isRightToLeft(language) ? '<bdi>*|CONFIRM|*</bdi>' : '*|CONFIRM|*'}</a></p>`,
        ...paragraph(lines.slice(at + 1)),
      ];
    })
    .join('\n');
  return withBdi(html);
}

const tagPattern = /\*\|([A-Z][^|*\r\n]{0,250})\|\*/g;

/** Fills in `*|TAG|*` and `*|TAG:default|*`; an unknown tag shows its default or nothing. */
export function fillTags(source: string, values: Readonly<Record<string, string>>, form: 'plain' | 'html'): string {
  return source.replace(tagPattern, (_all, inner: string) => {
    const { name, fallback } = splitTag(inner, values);
    const value = (Object.hasOwn(values, name) && values[name]) || fallback;
    return form === 'html' ? escapeHtml(value) : value;
  });
}

/** LIST:NAME is a name with a colon; in FNAME:friend the colon starts the default for a missing value. */
function splitTag(inner: string, values: Readonly<Record<string, unknown>>): { name: string; fallback: string } {
  const colon = inner.indexOf(':', inner.startsWith('LIST:') ? 5 : 0);
  if (colon < 0 || Object.hasOwn(values, inner)) return { name: inner, fallback: '' };
  return { name: inner.slice(0, colon), fallback: inner.slice(colon + 1) };
}

/** The tags a text uses. */
export const tagsIn = (source: string): string[] =>
  [...source.matchAll(tagPattern)].map((match) => splitTag(match[1]!, {}).name);

/** The tags allowed in a text. @param fields tags of the list's fields */
export function tagsFor(name: ListTextName, fields: readonly string[]): string[] {
  const listTags = ['LIST:NAME', 'LIST:COMPANY', 'LIST:ADDRESS', 'LIST:URL'];
  switch (listTextNames[name].tags) {
    case 'none':
      return listTags;
    case 'address':
      return [...listTags, 'EMAIL'];
    // No values: nothing a visitor typed is sent to an address before its owner confirms.
    case 'confirm':
      return [...listTags, 'EMAIL', 'CONFIRM'];
    case 'contact':
      return [...listTags, 'UNSUB', 'UPDATE_PROFILE', ...fields];
  }
}

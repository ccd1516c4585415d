// What readers would get as text instead of a value: merge tags that are not in order and those of other programs, in the texts that
// readers see and in addresses. Pure. Styles, scripts and comments are left out.
import { type ForeignTag, foreignTags, isForeignElement } from '../../base/foreign-tags.ts';
import { brokenTags, withoutTags } from '../compile/broken-tags.ts';
import { itemTag } from '../markup/data.ts';
import { knownTags, type MergeField } from '../markup/merge-tags.ts';
import { readStartTags, readVisible, type SourceTag } from '../markup/scan-html.ts';

export type Texts = {
  type: 'html' | 'plain' | 'auto';
  html: string;
  plain: string;
  /** Subject, preview text and names. */
  headers: readonly string[];
  fields: readonly MergeField[];
  /** The start tags of the HTML, where they have been read already. */
  startTags?: readonly SourceTag[];
};

/** So many tags of a line are looked at; each goes over the line once more. */
const maxOfLine = 100;

/** Both kinds as the reader would see them, each once. */
export function unfilledTags({ type, html, plain, headers, fields, startTags }: Texts): {
  broken: string[];
  foreign: ForeignTag[];
} {
  const known = new Set([...knownTags(fields), 'EACH', itemTag]);
  const names = fields.map(({ tag }) => tag);
  const lines = [
    ...withoutTags(headers.join('\n'), 'plain').split(/[\r\n]+/),
    ...(type === 'plain' ? [] : linesOf(html, startTags)),
    ...withoutTags(plain, 'plain').split(/[\r\n]+/),
  ];
  const broken = new Set<string>();
  const foreign = new Map<string, ForeignTag>();
  for (const line of new Set(lines)) {
    let text = line;
    for (const tag of foreignTags(line, names).slice(0, maxOfLine)) {
      // The start of an element is named.
      if (tag.replacement === '</a>') continue;
      foreign.set(shown(tag.found), { ...tag, found: shown(tag.found) });
      text = text.replaceAll(tag.found, '\ue000');
    }
    for (const tag of brokenTags(text, known)) broken.add(shown(tag));
  }
  return { broken: [...broken], foreign: [...foreign.values()] };
}

/** A tag of ours that is in order may be within one that is not. */
const shown = (found: string): string => found.replace(/\ue000+/g, '…');

/** The texts and addresses of a page, with its tags out of the way: one that markup interrupts is none. */
function linesOf(html: string, startTags: readonly SourceTag[] | undefined): string[] {
  // Outlook reads what is in conditional comments.
  const page = withoutTags(
    html.replace(
      /<!--\s*<!\[endif\]-->|<!--\s*\[if\b[^\]>]*\]>(?:<!-->|\s*<!-- *-->)?|<!\[(?:end)?if\b[^\]>]*\](?:--)?>/gi,
      '',
    ),
    'address',
  );
  const lines = readVisible(page, true).texts;
  const tags = page === html && startTags ? startTags : readStartTags(page);
  for (const { name: element } of tags) if (isForeignElement(element)) lines.push(`<${element}>`);
  for (const { attributes } of tags)
    for (const [name, value] of attributes)
      if (name === 'alt' || name === 'title') lines.push(value);
      else if (addresses.has(name)) lines.push(readable(value));
  return lines.map((line) => line.replace(/\s+/g, ' '));
}

const addresses = new Set(['href', 'src', 'background']);

/** An address in which editors and browsers have encoded the signs of tags. */
const readable = (address: string): string =>
  address.replace(/%(?:20|7[BCD]|5[BD])/gi, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)));

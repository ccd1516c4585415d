// Keeps merge tags unchanged while a source (Markdown, MJML) is converted to HTML: each travels as one word of letters and
// digits, which no syntax gives a meaning to, and returns as it was written. In attributes its quotes are escaped, so that
// it cannot end the value.
import { markOf } from '../markup/conditions.ts';
import { parseTags, type Tag } from '../markup/merge-tags.ts';
import { scanHtml, ZoneFinder } from '../markup/scan-html.ts';

export type Protected = {
  /** The source with a word for each tag. */
  text: string;
  /** The tag that each word stands for. */
  tags: readonly string[];
  /** Finds the words; `no` is the place in `tags`, `kind` is c for a condition or feed block. */
  words: RegExp;
  /** Finds texts of nothing but conditions and feed blocks. */
  onlyConditions: RegExp;
};

export function protectTags(source: string): Protected {
  // The word must not occur in the source, in whatever case.
  let prefix = 'mergetag';
  const lower = source.toLowerCase();
  while (lower.includes(prefix)) prefix += 'q';
  const tags: string[] = [];
  let text = '';
  for (const token of parseTags(source)) {
    if (typeof token === 'string') {
      text += token;
      continue;
    }
    const kind = markOf(token, []) || isFeedBlock(token) ? 'c' : 't';
    text += `${prefix}${tags.length}${kind}`;
    tags.push(source.slice(token.start, token.end));
  }
  return {
    text,
    tags,
    words: new RegExp(`${prefix}(?<no>\\d+)(?<kind>[ct])`, 'g'),
    onlyConditions: new RegExp(`^\\s*(?:${prefix}\\d+c\\s*)+$`),
  };
}

/** The begin or end of what a recurring campaign repeats: like a condition, it can be around blocks. */
const isFeedBlock = ({ name, argument }: Tag): boolean =>
  name === 'RSSITEMS' || (name === 'END' && /^\s*RSSITEMS\s*$/i.test(argument ?? ''));

/** The HTML with its tags, as an author would have written them there. */
export function restoreTags(html: string, { tags, words }: Protected): string {
  if (tags.length === 0) return html;
  const zones = new ZoneFinder(scanHtml(html).zones);
  return html.replace(words, (word: string, ...rest: unknown[]) => {
    const { no } = rest.at(-1) as { no: string };
    const tag = tags[Number(no)];
    if (tag === undefined) return word;
    const isInAttribute = zones.at(rest.at(-3) as number)?.zone === 'attribute';
    return isInAttribute ? tag.replaceAll('"', '&quot;') : tag;
  });
}

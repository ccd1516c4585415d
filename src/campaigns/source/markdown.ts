// Markdown to the HTML of an email. A line of nothing but conditions is a block of its own, so that a condition can span
// paragraphs, lists and headings. HTML in the source stays, as it does in content.html; links to scripts become text.
import Markdown, { type MarkdownIt, type Token } from 'markdown-it';
import { elementStyles, type Look, page } from './look.ts';
import { extend } from './markdown-extensions.ts';
import { type Protected, protectTags, restoreTags } from './protected-tags.ts';

/** @returns a whole document */
export function htmlOfMarkdown(source: string, look: Look): string {
  const text = protectTags(source.replaceAll(/\r\n?/g, '\n'));
  const markdown = newMarkdown(text);
  const tokens = markdown.parse(text.text, {});
  const styles = elementStyles(look);
  let hidden = false;
  for (const [i, token] of tokens.entries()) {
    if (token.type === 'tr_open') hidden = isConditionRow(tokens, i, text);
    style(token, hidden && token.type === 'td_open' ? { td: hiddenCell } : styles);
    for (const child of token.children ?? []) style(child, styles);
  }
  return restoreTags(page(markdown.renderer.render(tokens, markdown.options, {}), look), text);
}

/** A row of nothing but conditions is not seen, and is around the rows that follow it. */
const hiddenCell = 'padding:0;border:0;font-size:0;line-height:0';

/** @param start the place of the row */
function isConditionRow(tokens: readonly Token[], start: number, { onlyConditions }: Protected): boolean {
  const cells: string[] = [];
  for (let i = start + 1; tokens[i]?.type !== 'tr_close'; i++)
    if (tokens[i]!.type === 'inline') cells.push(tokens[i]!.content);
  return (
    cells.some((cell) => onlyConditions.test(cell)) && cells.every((cell) => cell === '' || onlyConditions.test(cell))
  );
}

function newMarkdown({ onlyConditions }: Protected): MarkdownIt {
  const markdown = new Markdown({ html: true, linkify: true });
  // "example.com" may be a name; an address that is meant as a link is written with its scheme.
  markdown.linkify.set({ fuzzyLink: false });
  extend(markdown);
  markdown.block.ruler.before(
    'table',
    'condition',
    (state, startLine, _endLine, silent) => {
      if (state.sCount[startLine]! - state.blkIndent >= 4) return false;
      // Between the rows of a table it would end the table, and the rows after it would be text.
      if (silent && (state.parentType as string) === 'table') return false;
      const line = state.src.slice(state.bMarks[startLine]! + state.tShift[startLine]!, state.eMarks[startLine]);
      if (!onlyConditions.test(line)) return false;
      if (silent) return true;
      state.line = startLine + 1;
      const token = state.push('html_block', '', 0);
      token.map = [startLine, state.line];
      token.content = `${line.trim()}\n`;
      return true;
    },
    { alt: ['paragraph', 'reference', 'blockquote', 'list'] },
  );
  const { rules } = markdown.renderer;
  const { escapeHtml } = markdown.utils;
  const block = (tokens: Token[], i: number) => {
    const token = tokens[i]!;
    return `<pre style="${escapeHtml(String(token.attrGet('style')))}">${escapeHtml(token.content)}</pre>\n`;
  };
  rules['fence'] = block;
  rules['code_block'] = block;
  return markdown;
}

const elementOf: Readonly<Record<string, string>> = {
  fence: 'pre',
  code_block: 'pre',
  code_inline: 'code',
  image: 'img',
};

function style(token: Token, styles: Readonly<Record<string, string>>): void {
  if (token.nesting < 0) return;
  const given = styles[elementOf[token.type] ?? token.tag];
  if (given === undefined) return;
  // Columns may be aligned already.
  const own = token.attrGet('style');
  token.attrSet('style', own ? `${given};${own}` : given);
}

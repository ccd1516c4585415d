// Markdown to HTML for the site. Links between files become links between pages, headings get the anchors that GitHub gives them,
// and nothing has a style attribute, which the content security policy refuses.
import { existsSync } from 'node:fs';
import { join, posix } from 'node:path';
import MarkdownIt from 'markdown-it';
import { examplePath, plain, root, type Source } from './sources.ts';

export type Heading = { level: number; text: string; anchor: string };
/** A stretch of a page under one heading, for the search. */
export type Passage = { heading: string; anchor: string; text: string };
export type Drawn = { html: string; headings: Heading[]; passages: Passage[]; images: string[] };

const markdown = new MarkdownIt({ html: false, linkify: false });
type Token = ReturnType<typeof markdown.parse>[number];

const { rules } = markdown.renderer;
// What is wider than the page scrolls in a box of its own, by keyboard too.
rules.table_open = () => '<div class="table" role="group" aria-label="Table" tabindex="0"><table>\n';
rules.table_close = () => '</table></div>\n';
rules.fence = (tokens, i) => `<pre tabindex="0"><code>${markdown.utils.escapeHtml(tokens[i]!.content)}</code></pre>\n`;
rules.code_block = rules.fence;

/** @param byFile all pages of the site, by their place in the repository */
export function draw(page: Source, byFile: ReadonlyMap<string, Source>): Drawn {
  const tokens = markdown.parse(page.text, {});
  const images: string[] = [];
  for (const token of tokens) {
    alignByClass(token);
    for (const child of token.children ?? []) {
      if (child.type === 'image') images.push(imageOf(child, page));
    }
    if (token.children) token.children = linkPages(token.children, page, byFile);
  }
  emptyHeaders(tokens);
  const headings = nameHeadings(tokens);
  return {
    html: markdown.renderer.render(tokens, markdown.options, {}),
    headings,
    passages: passagesOf(tokens),
    images,
  };
}

/** The address of a page as seen from another. @param from, to below /docs/ */
export function relativeAddress(from: string, to: string): string {
  const folder = posix.dirname(`${from}x`);
  const address = posix.relative(folder, `${to}x`).slice(0, -1);
  return address === '' ? './' : address;
}

function linkPages(children: Token[], page: Source, byFile: ReadonlyMap<string, Source>): Token[] {
  let leaves = false;
  return children.filter((token) => {
    if (token.type === 'link_close' && leaves) {
      leaves = false;
      return false;
    }
    if (token.type !== 'link_open') return true;
    const address = addressOf(String(token.attrGet('href')), page, byFile);
    if (address === undefined) {
      leaves = true;
      return false;
    }
    token.attrSet('href', address);
    if (/^https?:/.test(address)) token.attrSet('rel', 'noopener');
    return true;
  });
}

/** Undefined for a file that the site does not have, such as source code: its name stays as text. */
function addressOf(href: string, page: Source, byFile: ReadonlyMap<string, Source>): string | undefined {
  if (/^[a-z]+:|^#/i.test(href)) return href;
  const [path = '', anchor] = href.split('#');
  const file = posix.join(posix.dirname(page.file), path).replace(/\/$/, '');
  const found = byFile.get(file) ?? byFile.get(`${file}/README.md`);
  const hash = anchor === undefined ? '' : `#${anchor}`;
  if (found) return relativeAddress(page.path, found.path) + hash;
  if (file.startsWith('examples/') && existsSync(join(root, file)))
    return relativeAddress(page.path, examplePath(file));
  if (!existsSync(join(root, file))) throw new Error(`${page.file}: there is no ${href}`);
  return undefined;
}

/** Makes the address of an image one of the site, and returns its file. */
function imageOf(image: Token, page: Source): string {
  const file = posix.join(posix.dirname(page.file), String(image.attrGet('src')));
  image.attrSet('src', relativeAddress(page.path, file.replace(/^docs\//, '')));
  image.attrSet('loading', 'lazy');
  return file;
}

function alignByClass(token: Token) {
  const style = token.attrGet('style');
  if (style === null) return;
  token.attrs = token.attrs!.filter(([name]) => name !== 'style');
  if (String(style).includes('right')) token.attrJoin('class', 'right');
}

/** A header cell without text is none for a screen reader. */
function emptyHeaders(tokens: Token[]) {
  tokens.forEach((token, i) => {
    if (token.type !== 'th_open' || tokens[i + 1]!.content !== '') return;
    token.tag = 'td';
    tokens[i + 2]!.tag = 'td';
  });
}

function nameHeadings(tokens: Token[]): Heading[] {
  const used = new Map<string, number>();
  return tokens.flatMap((token, i) => {
    if (token.type !== 'heading_open') return [];
    const text = plain(tokens[i + 1]!.content);
    const name = anchorOf(text);
    const before = used.get(name) ?? 0;
    used.set(name, before + 1);
    const anchor = before === 0 ? name : `${name}-${before}`;
    token.attrSet('id', anchor);
    return [{ level: Number(token.tag.slice(1)), text, anchor }];
  });
}

const anchorOf = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');

function passagesOf(tokens: Token[]): Passage[] {
  const passages: Passage[] = [];
  tokens.forEach((token, i) => {
    if (token.type === 'heading_open')
      passages.push({ heading: plain(tokens[i + 1]!.content), anchor: String(token.attrGet('id')), text: '' });
    const passage = passages.at(-1);
    if (!passage || tokens[i - 1]?.type === 'heading_open') return;
    if (token.type === 'inline') passage.text += `${textOf(token)} `;
    if (token.type === 'fence') passage.text += `${token.content} `;
  });
  return passages.map((passage) => ({ ...passage, text: passage.text.replace(/\s+/g, ' ').trim() }));
}

const textOf = (token: Token): string =>
  (token.children ?? []).map((child) => (child.type.endsWith('break') ? ' ' : child.content)).join('');

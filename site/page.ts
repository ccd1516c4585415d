// The HTML of a page of the site: header with search, sections, the text, the headings beside it. It has no script and no style
// within it, and every address is relative, so that the site works below any path.
import { homeHtml } from './home.ts';
import { type Drawn, type Heading, relativeAddress } from './markdown.ts';
import type { Entry, Section } from './sections.ts';
import type { Source } from './sources.ts';

/** @property assets names of the built files with a hash, by their plain names */
export type Site = { sections: readonly Section[]; assets: Readonly<Record<string, string>> };

export function pageHtml(site: Site, page: Source, drawn: Drawn): string {
  const section = site.sections.find(({ entries }) => entries.some((entry) => entry.page === page));
  const summary = drawn.passages.find(({ text }) => text !== '')?.text ?? '';
  const isHome = page.path === '';
  return frame(site, page.path, page.title, summary, [
    `<main id="main" tabindex="-1"${isHome ? ' class="home"' : ''}>${section && section.title !== page.title ? `<p class="section">${escaped(section.title)}</p>` : ''}`,
    isHome ? homeHtml(drawn.html) : drawn.html,
    isHome ? '' : neighbours(site, page),
    '</main>',
    isHome ? '' : contents(drawn.headings),
  ]);
}

/** The page for an address that does not exist. The program completes its relative addresses. */
export const missingHtml = (site: Site): string =>
  frame(site, '', 'Page not found', '', [
    '<main id="main" tabindex="-1"><h1>Page not found</h1>',
    '<p>There is no such page in the documentation. Search for it, or begin at <a href="./">the first page</a>.</p></main>',
  ]);

function frame(site: Site, path: string, title: string, summary: string, content: string[]): string {
  const to = (target: string) => relativeAddress(path, target);
  const asset = (name: string) => to(`assets/${site.assets[name]}`);
  const home = path === '' ? 'Postrider documentation' : `${title} · Postrider documentation`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(home)}</title>
${summary && `<meta name="description" content="${escaped(summary.slice(0, 160))}">`}
<link rel="icon" href="${asset('icon.svg')}">
<link rel="stylesheet" href="${asset('style.css')}">
<script src="${asset('scheme.js')}"></script>
<script type="module" src="${asset('docs.js')}"></script>
</head>
<body data-root="${to('')}" data-search="${asset('search.json')}">
<a class="skip" href="#main">Skip to the text</a>
<header class="top">
<button type="button" class="icon menu" id="menu" aria-expanded="false" aria-controls="sections" hidden>Menu</button>
<a class="brand" href="${to('')}"><img src="${asset('icon.svg')}" alt="" width="24" height="24">Postrider <span>Documentation</span></a>
<search class="search" hidden><input type="search" id="search" placeholder="Search" aria-label="Search the documentation" aria-keyshortcuts="/" autocomplete="off"><div class="found" hidden><p role="status"></p><ul></ul></div></search>
<button type="button" class="icon" id="scheme" hidden>Dark</button>
<a class="application" href="../${'../'.repeat(path.split('/').length - 1)}app/">Application</a>
</header>
<div class="columns">
<nav id="sections" class="sections" aria-label="Documentation">${site.sections.map((section) => sectionHtml(section, path)).join('\n')}</nav>
${content.join('\n')}
</div>
</body>
</html>
`;
}

function sectionHtml(section: Section, path: string): string {
  const [only] = section.entries;
  // A section that is one page needs no list below its heading.
  if (section.entries.length === 1 && only!.page.title === section.title)
    return `<h2>${linkHtml(only!.page, section.title, path)}</h2>`;
  const isCurrent = section.entries.some(({ page }) => page.path === path);
  const group = section.entries.find(({ page }) => page.path === path)?.group;
  // Of a long section, what is near: its first page, and the pages of the same group.
  const shown = section.long
    ? section.entries.filter((entry, i) => i === 0 || (isCurrent && entry.group === group))
    : section.entries;
  return `<h2>${escaped(section.title)}</h2><ul>${shown.map((entry, i) => entryHtml(entry, shown[i - 1], path)).join('')}</ul>`;
}

function entryHtml({ page, group }: Entry, before: Entry | undefined, path: string): string {
  const heading = group && group !== before?.group ? `</ul><h3>${escaped(group)}</h3><ul>` : '';
  return `${heading}<li>${linkHtml(page, shortTitle(page.title), path)}</li>`;
}

function linkHtml(page: Source, words: string, path: string): string {
  const current = page.path === path ? ' aria-current="page"' : '';
  return `<a href="${relativeAddress(path, page.path)}"${current}>${escaped(words)}</a>`;
}

/** "Segments: email part of a list" as the list of pages names it: what follows the colon is on the page. */
const shortTitle = (title: string): string => title.replace(/^Examples: /, '').split(/: | \(/)[0]!;

function neighbours({ sections }: Site, page: Source): string {
  const pages = sections.flatMap(({ entries }) => entries.map((entry) => entry.page));
  const at = pages.indexOf(page);
  const link = (other: Source | undefined, word: string) =>
    other
      ? `<a href="${relativeAddress(page.path, other.path)}"><small>${word}</small> ${escaped(other.title)}</a>`
      : '<span></span>';
  return `<nav class="neighbours" aria-label="Previous and next">${link(pages[at - 1], 'Previous')}${link(pages[at + 1], 'Next')}</nav>`;
}

function contents(headings: readonly Heading[]): string {
  const listed = headings.filter(({ level }) => level === 2 || level === 3);
  if (listed.length < 2) return '';
  const items = listed.map(
    ({ level, text, anchor }) => `<li class="level-${level}"><a href="#${anchor}">${escaped(text)}</a></li>`,
  );
  return `<nav class="contents" aria-label="On this page"><h2>On this page</h2><ul>${items.join('')}</ul></nav>`;
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

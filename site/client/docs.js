// The script of the documentation: search in the browser, the menu of phones, light and dark. Pages can be read without it.
import MiniSearch from './minisearch.js';

const { root, search: textsUrl } = document.body.dataset;
const at = (id) => document.getElementById(id);
const menu = at('menu');
const scheme = at('scheme');
const field = at('search');
const found = document.querySelector('.found');
for (const part of [menu, scheme, field.closest('search')]) part.hidden = false;

menu.addEventListener('click', () => openMenu(menu.getAttribute('aria-expanded') !== 'true'));
function openMenu(isOpen) {
  menu.setAttribute('aria-expanded', String(isOpen));
  at('sections').classList.toggle('open', isOpen);
}

const isDark = () =>
  (document.documentElement.dataset.scheme ??
    (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')) === 'dark';
const nameScheme = () => {
  scheme.textContent = isDark() ? 'Light' : 'Dark';
};
nameScheme();
scheme.addEventListener('click', () => {
  const wanted = isDark() ? 'light' : 'dark';
  document.documentElement.dataset.scheme = wanted;
  nameScheme();
  try {
    localStorage.setItem('postrider-scheme', wanted);
  } catch {
    // Storage is switched off: the choice holds for this page.
  }
});

// On a page of a long section, the list of pages begins where this one is.
const current = document.querySelector('.sections [aria-current]');
if (current && current.offsetTop > innerHeight) at('sections').scrollTop = current.offsetTop - innerHeight / 2;

let texts;
let index;
/** The texts are loaded when the search is used for the first time. */
async function loadIndex() {
  texts = await (await fetch(textsUrl)).json();
  const made = new MiniSearch({
    // Words that every page has find and mark nothing; a query of nothing else is looked for as it is.
    processTerm: (term) => (stopWords.has(term.toLowerCase()) ? null : term.toLowerCase()),
    fields: ['title', 'heading', 'text'],
    searchOptions: {
      boost: { title: 4, heading: 3 },
      // The last word may still be growing; a short one is looked for as it is.
      prefix: (term, i, terms) => i === terms.length - 1 && term.length > 3,
      fuzzy: (term) => (term.length > 4 ? 0.2 : 0),
      combineWith: 'AND',
      boostDocument: (id) => weightOf(texts[id].path),
    },
  });
  await made.addAllAsync(texts, { chunkSize: 100 });
  return made;
}

const stopWords = new Set('a an and are as at be by for from in is it of on or the this to with'.split(' '));

/** What explains comes before what records: guides, then the reference, then decisions and the changelog. */
function weightOf(path) {
  if (/^(decisions\/|changelog)/.test(path)) return 0.2;
  return /^(api|sdk|examples)\//.test(path) || isInner(path) ? 0.6 : 1;
}

/** For those who change the program. */
const isInner = (path) => /^(style|contributing|architecture|flows)(\/|$)/.test(path);

/**
 * First the pages that have all the words together, in the order of the query; last those about the inside of the program, unless
 * their title has the words.
 */
function phraseFirst(results, query) {
  const phrase = wholeWords([query], '');
  const rankOf = ({ id }) => {
    const { path, title, heading, text } = texts[id];
    const has = (part) => part.search(phrase) >= 0;
    if (isInner(path)) return has(title) ? 2 : 0;
    return [title, heading, text].some(has) && weightOf(path) > 0.2 ? 2 : 1;
  };
  const rank = new Map(results.map((result) => [result, rankOf(result)]));
  return results.toSorted((a, b) => rank.get(b) - rank.get(a));
}

/** @param end what may follow a word: nothing but the end of it by default */
function wholeWords(words, end = '(?![\\p{L}\\p{N}])') {
  const any = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/[\s-]+/g, '[\\s-]+'));
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${any.join('|')})${end}`, 'giu');
}

field.addEventListener('focus', () => {
  index ??= loadIndex();
});
field.addEventListener('input', show);
async function show() {
  const query = field.value.trim();
  found.hidden = query === '';
  if (query === '') return;
  const [status, list] = found.children;
  index ??= loadIndex();
  try {
    const results = phraseFirst((await index).search(query), query);
    if (query !== field.value.trim()) return;
    status.textContent =
      results.length === 0 ? 'Nothing found' : `${results.length} ${results.length === 1 ? 'result' : 'results'}`;
    list.replaceChildren(...results.slice(0, 20).map((result) => item(texts[result.id], result.terms)));
  } catch {
    index = undefined;
    status.textContent = 'The search could not be loaded. Try again.';
  }
}

function item({ path, title, heading, text }, terms) {
  const link = document.createElement('a');
  link.href = root + path;
  const name = document.createElement('strong');
  name.textContent = heading === '' ? title : `${title} › ${heading}`;
  link.append(name, ...excerpt(text, terms));
  const li = document.createElement('li');
  li.append(link);
  return li;
}

/** The surroundings of the first word that was found, with the words marked. */
function excerpt(text, terms) {
  if (text === '') return [];
  const words = wholeWords(terms);
  const first = text.search(words);
  const start = first < 40 ? 0 : text.indexOf(' ', first - 40) + 1;
  const shown = `${start > 0 ? '… ' : ''}${text.slice(start, start + 160)}`;
  const parts = document.createElement('span');
  let end = 0;
  for (const { 0: word, index: from } of shown.matchAll(words)) {
    const mark = document.createElement('mark');
    mark.textContent = word;
    parts.append(shown.slice(end, from), mark);
    end = from + word.length;
  }
  parts.append(shown.slice(end));
  return [parts];
}

document.addEventListener('keydown', (event) => {
  const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName);
  if (event.key === '/' && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    field.focus();
  }
  if (event.key === 'Escape') {
    if (!found.hidden) field.focus();
    found.hidden = true;
    openMenu(false);
  }
  if (
    (event.key === 'ArrowDown' || event.key === 'ArrowUp') &&
    !found.hidden &&
    found.parentElement.contains(document.activeElement)
  ) {
    const stops = [field, ...found.querySelectorAll('a')];
    const next = stops.indexOf(document.activeElement) + (event.key === 'ArrowDown' ? 1 : -1);
    stops[Math.max(0, Math.min(next, stops.length - 1))].focus();
    event.preventDefault();
  }
  if (event.key === 'Enter' && document.activeElement === field) found.querySelector('a')?.click();
});
document.addEventListener('click', ({ target }) => {
  if (!found.parentElement.contains(target)) found.hidden = true;
  // A result on the page that is open.
  if (found.contains(target) && target.closest('a')) found.hidden = true;
});

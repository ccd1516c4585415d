// The script of the documentation: search in the browser, the menu of phones, light and dark. Pages can be read without it.
import MiniSearch from './minisearch.js';
import { makeIndex, search, wholeWords } from './ranking.js';

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
  return makeIndex(MiniSearch, texts);
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
    const results = search(await index, texts, query);
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

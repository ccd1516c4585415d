// How the search of the documentation finds and orders, without the page around it: test/site-search.test.ts runs it too.

const stopWords = new Set(
  'a an and are as at be by do for from how i in is it my of on or the this to what with'.split(' '),
);

/** Singular and plural are one word. A word that every page has finds and marks nothing. */
function termOf(word) {
  const term = word.toLowerCase();
  if (stopWords.has(term)) return null;
  return term.length > 3 && /[^su0-9]s$/.test(term) && term !== 'https' ? term.slice(0, -1) : term;
}

/** @param {Function} MiniSearch the class, because browsers and Node load it from different places */
export async function makeIndex(MiniSearch, texts) {
  const made = new MiniSearch({
    processTerm: termOf,
    // The title counts where the page begins; of its other passages it only says what they belong to.
    fields: ['page', 'title', 'heading', 'words', 'text'],
    extractField: (text, field) => (field === 'page' ? (text.heading === '' ? text.title : '') : text[field]),
    searchOptions: {
      boost: { page: 5, title: 1, heading: 3, words: 4 },
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

/** How many passages that explain come before the inside of the program and records. */
const enough = 6;

/** Passages that have all words; where few of those explain, some that have only part of the words, before what records. */
export function search(index, texts, query) {
  const all = inOrder(texts, index.search(query), query);
  const explains = ({ id }) => !isRecord(texts[id].path);
  const first = all.filter(explains);
  if (all.length > 0 && (first.length >= enough || first.length === all.length)) return all;
  const known = new Set(all.map(({ id }) => id));
  const partly = inOrder(texts, index.search(query, { combineWith: 'OR' }), query).filter(({ id }) => !known.has(id));
  if (all.length === 0) return partly;
  return [...first, ...partly.filter(explains).slice(0, enough - first.length), ...all.filter((one) => !explains(one))];
}

/** What explains comes before what records: guides, then the reference, then decisions and the changelog. */
function weightOf(path) {
  if (/^(decisions\/|changelog)/.test(path)) return 0.2;
  if (/^(reliability|figures|glossary|guide\/webhook-events)/.test(path)) return 0.5;
  return /^(api|sdk|examples)\//.test(path) || isInner(path) ? 0.6 : 1;
}

/** For those who change the program. */
const isInner = (path) => /^(style|contributing|architecture|flows)(\/|#|$)/.test(path);

const isRecord = (path) => isInner(path) || weightOf(path) < 0.3;

/**
 * First the method of this name, then the passages that are about the words of the query: in their heading, or in the words by
 * which people look for them. Then those that have all the words together; last the inside of the program and records.
 */
function inOrder(texts, results, query) {
  const phrase = wholeWords([query], 's?(?![\\p{L}\\p{N}])');
  const started = wholeWords([query], '');
  const rankOf = ({ id }) => {
    const { path, title, heading, text, words } = texts[id];
    if (title === query && /[A-Z]/.test(query) && heading === '') return 5;
    if (isRecord(path)) return (heading || title).search(started) >= 0 ? 0 : -1;
    if (words.split(', ').some((word) => sameWords(word, query))) return 4;
    if ((heading || title).search(phrase) >= 0 && weightOf(path) === 1) return 3;
    return [title, heading, text, words].some((part) => part.search(started) >= 0) ? 2 : 1;
  };
  const rank = new Map(results.map((result) => [result, rankOf(result)]));
  return results.toSorted((a, b) => rank.get(b) - rank.get(a));
}

const sameWords = (a, b) => keyOf(a) === keyOf(b);
const keyOf = (text) => (text.match(/[\p{L}\p{N}]+/gu) ?? []).flatMap((word) => termOf(word) ?? []).join(' ');

/** @param end what may follow a word: a plural, or nothing but the end of it, by default */
export function wholeWords(words, end = 's?(?![\\p{L}\\p{N}])') {
  const any = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/[\s-]+/g, '[\\s-]+'));
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${any.join('|')})${end}`, 'giu');
}

// What the search of the documentation looks through.
import type { Drawn } from './markdown.ts';
import { searchWords } from './search-words.ts';
import type { Source } from './sources.ts';

/** @property words other words by which people look for it */
export type SearchText = { id: number; path: string; title: string; heading: string; text: string; words: string };

/** One text for each stretch of a page below a heading; of the pages of methods only what they are about. */
export function searchTexts(drawn: ReadonlyMap<Source, Drawn>): SearchText[] {
  const texts = [...drawn].flatMap(([source, { passages }]) => {
    const isMethod = /^api\/./.test(source.path);
    return passages
      .filter((_passage, i) => i === 0 || !isMethod)
      .map(({ heading, anchor, text }, i) => ({
        path: i === 0 ? source.path : `${source.path}#${anchor}`,
        title: source.title,
        heading: i === 0 ? '' : heading,
        text,
      }));
  });
  const paths = new Set(texts.map(({ path }) => path));
  for (const path of Object.keys(searchWords))
    if (!paths.has(path)) throw new Error(`site/search-words.ts: there is no ${path}`);
  return texts.map((text, id) => ({ id, ...text, words: searchWords[text.path] ?? '' }));
}

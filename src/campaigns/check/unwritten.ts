// Whether an email says anything of its own: it may be empty, or still have the sample texts of a new campaign, of the blocks of
// the visual editor or of a starter template. Pure. In doubt an email counts as written: a merge tag or a picture is content.

import { findTags } from '../markup/merge-tags.ts';
import { readVisible } from '../markup/scan-html.ts';
import { plainBrand } from '../model/plain-brand.ts';
import { starterKeys, starterLanguages } from '../starter/catalogue.ts';
import { starterSource } from '../starter/source.ts';
import { linesOfSamples, sampleLeave } from './sample-words.ts';

/** `letter`: the texts of a new campaign or block; `template`: also those of a starter template, which the API offers too. */
export type Unwritten = { state: 'empty' | 'letter' | 'template' | 'written'; samples: string[] };

/** Of the footer of what starter/page.ts draws, which says nothing of its own. */
const footerClass = 'outside';

export function unwrittenHtml(html: string): Unwritten {
  const { texts, shows } = readVisible(html, false, footerClass);
  return unwritten(texts, shows);
}

export function unwrittenPlain(plain: string): Unwritten {
  return unwritten(plain.split(/\r?\n/), false);
}

/** @param shows something that is no text, such as a picture */
function unwritten(texts: readonly string[], shows: boolean): Unwritten {
  const lines = texts.map(plainWords).filter((line) => line !== '');
  const samples = lines.flatMap(samplesIn).filter((line) => line !== tagOnly);
  const own = lines.filter((line) => !isSample(line) && !greetings.has(line) && !leaves.has(line));
  if (!shows && samples.length === 0 && own.length === 0) return { state: 'empty', samples: [] };
  if (!shows && own.length === 0) return { state: 'letter', samples };
  const given = templateLines();
  if (own.some((line) => line.length >= wholeSentence) && own.every((line) => given.has(line)))
    return { state: 'template', samples: own.filter((line) => line !== tagOnly) };
  return { state: 'written', samples };
}

/** A line that is only merge tags is compared as these words; they are shown to no one. */
const tagOnly = 'a merge tag';

/**
 * A line as it is compared: without its merge tags, where other words are left; "" if it only has the tags of a footer.
 * Words that a condition shows are compared like others.
 */
function plainWords(line: string): string {
  let words = '';
  let from = 0;
  let isContent = false;
  for (const tag of findTags(line)) {
    words += `${line.slice(from, tag.start)} `;
    from = tag.end;
    if (!footerTags.test(tag.name)) isContent = true;
  }
  // Invisible characters pad preview texts, and editors leave them between words.
  words = (words + line.slice(from))
    .normalize('NFC')
    .replace(/(?:[\s\p{Cf}]|\u034f)+/gu, ' ')
    .trim();
  if (/[\p{L}\p{N}\p{S}]/u.test(words)) return words;
  return isContent ? tagOnly : '';
}

/** Tags of the footer, and of conditions and loops, which show nothing themselves. */
const footerTags =
  /^(LIST:(NAME|COMPANY|ADDRESS|URL)|UNSUB|UPDATE_PROFILE|ARCHIVE|IF|IFNOT|ELSE|ELSEIF|END|ENDIF|EACH)$/;

/** The samples of a line: the line itself, or the sentences among other words that only a sample has. */
function samplesIn(line: string): string[] {
  if (sampleLines.has(line)) return [line];
  const found = sampleSentences.filter((sentence) => hasSentence(line, sentence));
  return found.filter((sentence) => !found.some((longer) => longer !== sentence && longer.includes(sentence)));
}

/** Whether a line consists of samples. */
function isSample(line: string): boolean {
  if (sampleLines.has(line)) return true;
  const rest = samplesIn(line).reduce((words, sentence) => words.replaceAll(sentence, ' '), line);
  return rest !== line && !/[\p{L}\p{N}\p{S}]/u.test(rest);
}

/** Whether a line has these words, and not as a part of longer ones. */
function hasSentence(line: string, sentence: string): boolean {
  const at = line.indexOf(sentence);
  if (at < 0) return false;
  const [before, after] = [line.slice(0, at), line.slice(at + sentence.length)];
  return !/[\p{L}\p{N}]$/u.test(before) && !(/^[\p{L}\p{N}]/u.test(after) && /[\p{L}\p{N}]$/u.test(sentence));
}

const sampleLines = new Set(linesOfSamples('sample').map(plainWords));
const greetings = new Set(linesOfSamples('greeting').map(plainWords));
const leaves = new Set(sampleLeave.map(plainWords));

/** Characters: shorter lines of a starter template, such as "Where", are in other emails too. */
const wholeSentence = 40;

/** Characters: a shorter sample, such as "Your heading", may be among the words of any email. */
const distinctSample = 20;

/** The samples that are found among other words, longest first; of those with several sentences also each long one. */
const sampleSentences = [
  ...new Set(
    [...sampleLines].flatMap((line) => [
      ...(line.length >= distinctSample ? [line] : []),
      ...line.split(/(?<=[.!?]) /).filter((sentence) => sentence.length >= wholeSentence),
    ]),
  ),
].sort((a, b) => b.length - a.length);

let templates: Set<string> | undefined;

/** The texts of all starter templates. */
function templateLines(): Set<string> {
  templates ??= new Set(
    starterLanguages
      .flatMap((language) => starterKeys.map((key) => ({ language, key })))
      .map(({ language, key }) => starterSource(key, { brand: plainBrand, language, addressOf: ({ name }) => name }))
      .flatMap((source) => readVisible(source).texts.map(plainWords))
      .filter((line) => line !== ''),
  );
  return templates;
}

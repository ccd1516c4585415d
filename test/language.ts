// The vocabulary of STYLE.md, held in code, comments, docs and English texts: words that newcomers stumble over, and what
// to write instead. Reads files that git tracks.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');

/** Word or phrase to avoid → what to write. Matched as whole words, without regard to case. */
export const vocabulary: [avoid: string, write: string][] = [
  ['tells?|told|telling', 'return, report, show, notify, log'],
  ['anew', 'again, re-'],
  ['stands? (in|at|on|there|still|beside|behind|under|above|here)', 'is in, is on, is'],
  ['under way|underway', 'in progress, in flight'],
  ['(by|of) itself|by themselves', 'automatically'],
  ['for ever', 'permanently, never'],
  ['whoever|whomever', 'the recipient who, anyone who'],
  ['nobody|somebody|anybody|everybody', 'no one, a person, another process'],
  ['he|his|him', 'it, the recipient, the contact'],
  ['openings?', 'opens'],
  [
    'a mail(?! (server|system|program))|mails|(one|each|every|this|the same) mail(?! (server|system|program))',
    'email, message',
  ],
  ['stumbl(e|es|ed|ing)', 'fail'],
  ['mend(s|ed|ing)?', 'fix'],
  ['in the midst', 'during'],
  ['foreseen?|foresight', 'predicted'],
  ['put(s|ting)? off|postpon(e|es|ed|ing)', 'defer'],
  ['withheld|withhold', 'not sent'],
  ['let(s|ting)? go of', 'release'],
  ['halt(s|ed|ing)?', 'pause'],
  ['at the most|at the least', 'at most, at least'],
  ['rota|convoy|undertaker|courier', 'fair queue, group send, parent watch, relay pool'],
  ['lanes?', 'send loop'],
  ['kept answers?', 'idempotency record'],
  ['in vain', 'without success'],
  ['henceforth|thereof|wherein|hereby|therein|whereupon|thereupon', '(drop it)'],
];

/** Parts of identifiers to avoid: mostTries, leastGraceMs. */
const identifiers = /\b(?:most|least)[A-Z]\w*|\b(?:tell|deafen|bury|stumble)[A-Z]\w*/g;

/** Files that hold foreign text: other languages, data of tests, what people write. */
const foreign =
  /package-lock|\.(png|svg|woff2|pem|gz|zip|bz2|eml)$|^LICENSE|locales\/(?!en|messages|text|define)[a-z]{2}(\.json|\/|\.ts|-first)|^test\/clients\/|^test\/support\/samples\/|^docs\/api\/|^test\/language|^STYLE\.md|^docs\/glossary\.md|starter\/.*html/;

export type Hit = { file: string; line: number; found: string; write: string };

/** @param under only files whose path begins so */
export function hits(under = ''): Hit[] {
  const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n');
  const rules = vocabulary.map(([avoid, write]) => ({
    pattern: new RegExp(`(?<![\\w'@.-])(?:${avoid})(?![\\w@]|-\\w)`, 'gi'),
    write,
  }));
  return files
    .filter((file) => file !== '' && file.startsWith(under) && !foreign.test(file))
    .flatMap((file) =>
      readFileSync(join(root, file), 'utf8')
        .split('\n')
        .flatMap((text, i) => {
          // German beside English in a catalogue.
          const line = text.replace(/\bde: (['"`]).*?\1(?=,| })/g, '');
          const words = rules.flatMap(({ pattern, write }) =>
            [...line.matchAll(pattern)].map(([found]) => ({ file, line: i + 1, found, write })),
          );
          const names = [...line.matchAll(identifiers)].map(([found]) => ({
            file,
            line: i + 1,
            found,
            write: 'max…, min…',
          }));
          return [...words, ...names];
        }),
    );
}

if (import.meta.main) {
  const found = hits(process.argv[2]);
  for (const { file, line, found: word, write } of found) console.log(`${file}:${line}: "${word}" → ${write}`);
  console.log(`${found.length} hits`);
}

// The words of the table in STYLE.md, searched for in code, comments, docs and English texts of the repository.
// `node test/language.ts [path]` lists what it finds, optionally only below a path; language.test.ts expects nothing.
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');

/** One row of the table: what it shows, and a pattern for whole words without regard to case. */
export type Rule = { avoid: string; write: string; pattern: string };

const rule = (avoid: string, write: string, pattern: string): Rule => ({ avoid, write, pattern });

const mailThing = '(?! (?:server|system|program|client|loop|merge)s?)';

export const rules: readonly Rule[] = [
  rule('at the most, at the least', 'at most, at least', 'at the (?:most|least)'),
  rule('tell(s), told', 'return, report, show, notify, log', 'tells?(?! us)|told|telling'),
  rule('anew', 'again, re- (re-read, recount)', 'anew'),
  rule(
    'stands in, stands at, stands there',
    'is in, is on, is',
    'stands? (?:in|at|on|there|still|beside|behind|under|above|here)',
  ),
  rule('under way', 'in progress, in flight', 'under way|underway'),
  rule('by itself, of itself', 'automatically', '(?:by|of) itself|by themselves'),
  rule('for ever', 'permanently, never', 'for ever'),
  rule('whoever', 'the recipient who, anyone who', 'whoever|whomever'),
  rule(
    'nobody, somebody, anybody, everybody',
    'no one, a person, another process',
    // Sample values such as 'nobody', nobody1@example.com and nobody.example are not meant.
    "(?:no|some|any|every)body(?!'(?!s\\b)|\\.\\w|\\$)",
  ),
  rule('he, his, him (a recipient, a contact)', 'it, the recipient, the contact', "he(?!')|his|him"),
  rule(
    'opening(s) of a message',
    'opens',
    'openings|(?:an|the|each|every|first|machine) opening(?! (?:bracket|tag|quote))',
  ),
  rule(
    'a mail, mails',
    'email(s) for people, message(s) in code',
    `mails|(?:a|one|each|every|this|the same) mail${mailThing}`,
  ),
  rule(
    'stumble, mend, foreseen, in the midst, in vain',
    'fail, fix, predicted, during, without success',
    'stumbl(?:e|es|ed|ing)|mend(?:s|ed|ing)?|foreseen?|foresight|in the midst|in vain',
  ),
  rule('put off, postpone', 'defer', 'put(?:s|ting)? off|postpon(?:e|es|ed|ing)'),
  rule('withheld', 'not sent', 'withheld|withhold'),
  rule('let go', 'release', 'let(?:s|ting)? go'),
  rule('halt', 'pause', 'halt(?:s|ed|ing)?'),
  rule(
    'rota, convoy, lane, courier, undertaker',
    'fair queue, group send, send loop, relay pool, parent watch',
    'rota|convoys?|lanes?|couriers?|undertaker',
  ),
  rule('kept answer', 'idempotency record', 'kept answers?'),
  rule('thereof, wherein, hereby, henceforth', '(drop it)', '(?:there|where|here)(?:of|in|by|upon)|henceforth'),
];

/** Parts of names in code: mostTries, leastGraceMs, tellJobNames. */
export const nameRule = { avoid: '`mostX`, `leastX`, `tellX`', write: '`maxX`, `minX`, `recordX`' };
const names = /\b(?:(?:most|least)[A-Z]|(?:tell|deafen|bury|stumble)[A-Z])\w*/g;

/** Files that hold other languages, generated text, samples, or the words themselves. */
const skipped = [
  /^package-lock|(?:^|\/)LICENSE|\.(?:png|svg|woff2|pem|gz|zip|bz2|eml|backup)$/,
  /locales\/(?!en|messages|text|define)[a-z]{2}(?:\.json|\/|\.ts|-first)/,
  /locales\/messages\/[a-z]{2}\.json$/,
  /^test\/clients\/.*(?<!\.ts)$|^test\/support\/samples\//,
  /^docs\/api\/|^docs\/glossary\.md|^STYLE\.md|^test\/language/,
];

/** Words of the API, of stored rows and of quoted replies, which cannot change. */
const kept: { files: RegExp; words: RegExp }[] = [
  // A reason that the unsubscribe page stores.
  { files: /^src\/(?:pages|demo)\/|^test\/e2e\/events/, words: /\btoo many mails\b/g },
  // What receiving servers reply, and the software that does.
  { files: /^src\/relays\/verdict\/|^test\/faults\//, words: /\bThis mail has been\b|-\?mails|\bCourier\b/g },
  // The code of Hebrew.
  { files: /./, words: /(['"])he\1|\bhe(?=: ['[])|\bf[ar],? he,? (?:hu|ks)\b/g },
  // German beside English in a catalogue.
  { files: /^src\/locales\/messages\//, words: /\bde: (['"`]).*?\1(?=,| })/g },
];

export type Hit = { file: string; line: number; found: string; write: string };

/** The words to avoid in a text, with the line each is in. */
export function hitsIn(file: string, whole: string): Hit[] {
  let text = whole;
  for (const { files, words } of kept)
    if (files.test(file)) text = text.replace(words, (found) => '_'.repeat(found.length));
  const found = [...text.matchAll(anyRule), ...text.matchAll(names)];
  return found.map((match) => {
    const number = rules.findIndex((_rule, i) => match.groups?.[`rule${i}`] !== undefined);
    return {
      file,
      line: text.slice(0, match.index).split('\n').length,
      found: match[0],
      write: rules[number]?.write ?? nameRule.write,
    };
  });
}

const anyRule = new RegExp(
  `(?<![\\w@.-])(?:${rules.map(({ pattern }, i) => `(?<rule${i}>${pattern})`).join('|')})(?![\\w@]|-\\w)`,
  'gi',
);

/** @param under only files whose path begins so */
export function hits(under = ''): Hit[] {
  return files()
    .filter((file) => file.startsWith(under) && !skipped.some((pattern) => pattern.test(file)))
    .flatMap((file) => hitsIn(file, readFileSync(join(root, file), 'utf8')));
}

/** All files that are not ignored; without git, those of the folders with sources and documents. */
function files(): string[] {
  const listed = spawnSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  });
  const paths =
    listed.status === 0
      ? listed.stdout.split('\n')
      : globSync(['*.md', '{src,test,docs,ui/src}/**/*.*'], { cwd: root });
  return paths.filter((path) => path !== '' && existsSync(join(root, path)));
}

/** One line per hit: file:line: "word" → replacement. */
export const asText = (found: Hit[]): string =>
  found.map(({ file, line, found: word, write }) => `${file}:${line}: "${word}" → ${write}`).join('\n');

if (import.meta.main) {
  const found = hits(process.argv[2]);
  if (found.length > 0) console.log(asText(found));
  console.log(`${found.length} hits`);
  process.exitCode = found.length === 0 ? 0 : 1;
}

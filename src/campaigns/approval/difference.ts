// What differs between two versions of a campaign, for a person to read: members by the names of the options, texts line by line.
import { plainPartInThread } from '../compile/in-thread.ts';
import { differenceOfTexts, type Line } from './text-difference.ts';
import type { Contents, Members } from './version.ts';

type Value = Members[string];

export type Change = {
  /** The option: subject, html, list_id … */
  member: string;
  /** The language version or variant that it is of; '' for the campaign itself. */
  of: string;
  before: string;
  after: string;
  /** Of html and plain instead of before and after. */
  lines: Line[];
};

export async function changesBetween(before: Contents, after: Contents): Promise<Change[]> {
  const old = { ...before.content, ...before.audience };
  const now = { ...after.content, ...after.audience };
  const { languages: oldLanguages, ab_test: oldTest, ...oldMembers } = old;
  const { languages, ab_test, ...members } = now;
  const { variants: oldVariants, ...oldRules } = membersOf(oldTest);
  const { variants, ...rules } = membersOf(ab_test);
  return [
    ...(await changesOf(oldMembers, members, '')),
    ...(await changesOf({ ab_test: oldRules }, { ab_test: rules }, '')),
    ...(await changesOfEach(byName(oldVariants, letterOf), byName(variants, letterOf))),
    ...(await changesOfEach(byName(oldLanguages, languageOf), byName(languages, languageOf))),
  ];
}

async function changesOfEach(before: Map<string, Members>, after: Map<string, Members>): Promise<Change[]> {
  const changes: Change[] = [];
  for (const name of new Set([...before.keys(), ...after.keys()]))
    changes.push(...(await changesOf(before.get(name) ?? {}, after.get(name) ?? {}, name)));
  return changes;
}

async function changesOf(before: Members, after: Members, of: string): Promise<Change[]> {
  const changes: Change[] = [];
  for (const member of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [old, now] = [before[member] ?? '', after[member] ?? ''];
    if (JSON.stringify(old) === JSON.stringify(now)) continue;
    if (member === 'html') changes.push({ member, of, before: '', after: '', lines: await pageLines(old, now) });
    else if (member === 'plain')
      changes.push({ member, of, before: '', after: '', lines: differenceOfTexts(String(old), String(now)) });
    else changes.push({ member, of, before: shown(old), after: shown(now), lines: [] });
  }
  return changes;
}

/** What a reader sees differently; if that is the same, the tags that differ. */
async function pageLines(before: Value, after: Value): Promise<Line[]> {
  const [old, now] = [String(before), String(after)];
  const read = differenceOfTexts(await plainPartInThread(old), await plainPartInThread(now));
  if (read.length > 0) return read;
  const tags = (html: string) => html.replaceAll('<', '\n<');
  return differenceOfTexts(tags(old), tags(now));
}

/** A value as a line of text. */
function shown(value: Value): string {
  if (value === null || value === false || value === undefined) return '';
  if (Array.isArray(value)) return value.map(shown).join('; ');
  if (typeof value !== 'object') return String(value);
  const members = value as Members;
  // A list or an attachment has a name; a condition is read in its order.
  if (typeof members['condition'] === 'string')
    return [members['field'], members['condition'], members['value']].map((part) => shown(part ?? '')).join(' ');
  return Object.entries(members)
    .filter(([name]) => name !== 'id' && name !== 'hash' && name !== 'content_type' && name !== 'no')
    .map(([name, part]) => (name === 'name' || name === 'filter' ? shown(part) : `${name}: ${shown(part)}`))
    .filter((text) => text !== '' && !text.endsWith(': '))
    .join(', ');
}

const membersOf = (value: Value | undefined): Members => (value ?? {}) as Members;

const byName = (value: Value | undefined, nameOf: (one: Members) => string): Map<string, Members> =>
  new Map(
    ((value ?? []) as Members[]).map((one) => {
      const { no: _, language: __, ...texts } = one;
      return [nameOf(one), texts];
    }),
  );

const languageOf = ({ language }: Members): string => String(language);
/** The first variant is the campaign itself, A. */
const letterOf = ({ no }: Members): string => String.fromCharCode(65 + Number(no));

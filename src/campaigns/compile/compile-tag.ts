// Compiles one merge tag: to constant text, to a slot, or to nothing if it is unknown. Also holds the state of compiling one
// campaign. Guarantees that a tag is compiled once, for its place, and that its value is never searched for tags.
import { text } from '../../locales/text.ts';
import type { CampaignContent, FieldWords, Link, ListFact, Piece } from '../markup/compiled.ts';
import {
  type BadLoops,
  type Draft,
  loopsOf,
  type Mark,
  markOf,
  nest,
  noteBadLoop,
  testsOf,
} from '../markup/conditions.ts';
import { type DataPath, dataType, itemTag, readMember } from '../markup/data.ts';
import { escapeFor, type Place } from '../markup/escape.ts';
import {
  fieldTag,
  findTags,
  knownTags,
  type MergeField,
  personalTags,
  type Tag,
  tagOfAlias,
  type Within,
} from '../markup/merge-tags.ts';
import { defaultFormat } from './date-tag.ts';
import { inWords } from './field-words.ts';

/** A campaign while it is compiled; links and unknown tags are collected here. */
export type CompileState = {
  content: CampaignContent;
  links: Link[];
  linkByTarget: Map<string, number>;
  known: Set<string>;
  unknown: Set<string>;
  badConditions: Set<string>;
  badLoops: BadLoops;
  /** The list of the loop that the next tag is in; null outside of loops. */
  each: DataPath | null;
};

export function newCompileState(content: CampaignContent): CompileState {
  const links = (content.links ?? []).map((target): Link => ({ target, html: 0, text: 0 }));
  return {
    content,
    links,
    linkByTarget: new Map(links.map(({ target }, no) => [target, no])),
    known: knownTags(content.fields),
    unknown: new Set(),
    badConditions: new Set(),
    badLoops: new Map(),
    each: null,
  };
}

/** Joins adjacent strings and drops empty ones. */
export function joinPieces<P extends Draft>(pieces: readonly P[]): P[] {
  const result: P[] = [];
  let strings: string[] = [];
  const flush = () => {
    const whole = strings.join('');
    if (whole !== '') result.push(whole as P);
    strings = [];
  };
  for (const piece of pieces) {
    if (typeof piece === 'string') {
      strings.push(piece);
    } else {
      flush();
      result.push(piece);
    }
  }
  flush();
  return result;
}

/** Where a tag is. linked: inside a link, where no other link can be; nested: inside the subject of a subject tag. */
type Inside = { linked?: boolean; nested?: boolean };

/** Compiles a text in which nothing but tags has a meaning. @param write the words between the tags */
export function compileText(
  state: CompileState,
  source: string,
  place: Place,
  { write, kind = 'plain', ...within }: Inside & { write: (words: string) => string; kind?: Within },
): Draft[] {
  const tags = findTags(source, kind);
  const loopAt = loopsOf(tags, state.content.fields);
  const around = state.each;
  const drafts: Draft[] = [];
  let from = 0;
  for (const tag of tags) {
    drafts.push(write(source.slice(from, tag.start)));
    state.each = loopAt(tag.start) ?? around;
    drafts.push(...compileToken(state, tag, place, within));
    from = tag.end;
  }
  state.each = around;
  return [...drafts, write(source.slice(from))];
}

/** Compiles a tag, or a condition to a mark, which `nest` pairs with the others. */
export function compileToken(state: CompileState, tag: Tag, place: Place, within: Inside = {}): Draft[] {
  const mark = markOf(tag, state.content.fields);
  if (!mark) return compileTag(state, tag, place, within);
  noteUnknown(state, mark);
  return [mark];
}

/** Reports the names in a condition or loop that have no value. */
function noteUnknown(state: CompileState, mark: Mark): void {
  if (mark.mark === 'each') {
    if (!hasMembers(state, mark.each.of)) state.unknown.add(mark.each.of);
    return;
  }
  const when = 'when' in mark ? mark.when : null;
  for (const { tag, value } of when ? testsOf(when) : []) {
    const [name] = tag.split(':');
    if (name === itemTag && (state.each || tag !== name)) {
      if (!state.each) noteBadLoop(state.badLoops, mark.text, 'outside');
    } else if (!state.known.has(name!)) state.unknown.add(name!);
    // What reads like one more test, but is part of the value.
    for (const [, next] of value.matchAll(/\s(?:AND|OR)\s+([A-Za-z]\w{0,63})\s*[=<>!]/g))
      if (!state.known.has(next!.toUpperCase())) state.unknown.add(next!.toUpperCase());
  }
}

/** Whether a name stands for a value with members. */
const hasMembers = ({ content }: CompileState, name: string) =>
  content.fields.some(({ tag, type }) => tag === name && type === dataType);

export function compileTag(state: CompileState, tag: Tag, place: Place, within: Inside = {}): Piece[] {
  const { content, known } = state;
  const data = compileMember(state, tag, place);
  if (data) return data;
  if (!known.has(tag.name)) {
    const alias = tagOfAlias(tag);
    if (alias?.name === 'FOOTER_WHY') return [footerWhy(content, place)];
    if (alias) return compileTag(state, alias, place, within);
    state.unknown.add(tag.name);
    return [];
  }
  if (tag.name in personalTags) return personalLink(content, tag, place, within.linked ?? false);
  if (tag.name === 'DATE') return [{ slot: 'date', format: tag.argument?.trim() || defaultFormat, place }];
  if (tag.name === 'CAMPAIGN:SUBJECT' || tag.name === 'CAMPAIGN:SENDER_NAME') {
    // The subject may contain tags and conditions, but not itself.
    if (within.nested) return [];
    const inner: Place = place === 'whole-url' ? 'url-part' : place;
    const line = tag.name === 'CAMPAIGN:SUBJECT' ? content.subject : content.fromName;
    const drafts = compileText(state, line, inner, { write: (words) => escapeFor(inner, words), nested: true });
    return nest(joinPieces(drafts), state.badConditions, state.badLoops);
  }
  if (tag.name.startsWith('LIST:')) {
    const fact = tag.name.slice('LIST:'.length).toLowerCase() as ListFact;
    const first = content.lists[0]?.[fact] ?? '';
    const same = content.lists.every((list) => list[fact] === first);
    return same ? [escapeFor(place, first)] : [{ slot: 'list', fact, place }];
  }
  const name = fieldTag(tag.name, content.fields);
  const field = content.fields.find(({ tag }) => tag === name);
  const as = place === 'url-part' || place === 'whole-url' ? undefined : wordsOf(field, content.language);
  const fallback = tag.argument ?? (as ? inWords(field!.default, as) : (field?.default ?? ''));
  return [{ slot: 'field', tag: name, fallback, place, ...(as && { as }) }];
}

/** How the values of a field are written; undefined where as they are stored. */
function wordsOf(field: MergeField | undefined, language: string): FieldWords | undefined {
  if (field?.type === 'multiple_choice') return 'choices';
  if (field?.type !== 'yes_no') return undefined;
  return { yes: text(language, 'value.yes'), no: text(language, 'value.no') };
}

/** A member of a value, *|EVENT:cart.url|*, or of the item of a loop, *|ITEM:name|*; undefined for other tags. */
function compileMember(state: CompileState, tag: Tag, place: Place): Piece[] | undefined {
  const isItem = tag.name === itemTag && (state.each !== null || !state.known.has(itemTag));
  if (!isItem && !hasMembers(state, tag.name)) return undefined;
  const member = readMember(tag.argument);
  if (isItem && tag.argument !== null && !state.each) {
    noteBadLoop(state.badLoops, `*|${tag.name}:${tag.argument}|*`, 'outside');
    return [];
  }
  // Of an event there are only members.
  if (!member || (isItem ? !state.each : member.path.length === 0)) {
    state.unknown.add(tag.name);
    return [];
  }
  const { path, fallback } = member;
  if (isItem) return [{ slot: 'data', ...state.each!, item: path, fallback, place }];
  return [{ slot: 'data', of: tag.name, path, fallback, place }];
}

/** Why the recipient gets the message: what its list says, or the sentence of the program. */
function footerWhy({ lists, language }: CampaignContent, place: Place): Piece {
  const first = lists[0]?.reminder;
  if (lists.some((list) => list.reminder !== first)) return { slot: 'list', fact: 'reminder', place };
  return escapeFor(place, first || text(language, 'mail.footer-why'));
}

/** A personal URL of the recipient: a whole link in running text, the URL alone elsewhere. */
function personalLink(content: CampaignContent, tag: Tag, place: Place, linked: boolean): Piece[] {
  if (place === 'raw' || place === 'header') return [];
  const address = personalTags[tag.name as keyof typeof personalTags];
  if (place !== 'text') return [{ slot: 'personal', address, place }];
  const linkText = escapeFor('text', tag.argument?.trim() || content.linkTexts[address]);
  return linked ? [linkText] : [{ slot: 'personal', address, place, linkText }];
}

// Compiles one merge tag: to constant text, to a slot, or to nothing if it is unknown. Also holds the state of compiling one
// campaign. Guarantees that a tag is compiled once, for its place, and that its value is never searched for tags.
import { text } from '../../locales/text.ts';
import type { CampaignContent, Link, ListFact, Piece } from '../markup/compiled.ts';
import { type Draft, markOf, nest } from '../markup/conditions.ts';
import { escapeFor, type Place } from '../markup/escape.ts';
import { fieldTag, knownTags, parseTags, personalTags, type Tag, tagOfAlias } from '../markup/merge-tags.ts';
import { defaultFormat } from './date-tag.ts';

/** A campaign while it is compiled; links and unknown tags are collected here. */
export type CompileState = {
  content: CampaignContent;
  links: Link[];
  linkByTarget: Map<string, number>;
  known: Set<string>;
  unknown: Set<string>;
  badConditions: Set<string>;
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

/** Compiles a tag, or a condition to a mark, which `nest` pairs with the others. */
export function compileToken(state: CompileState, tag: Tag, place: Place, within: Inside = {}): Draft[] {
  const mark = markOf(tag, state.content.fields);
  if (!mark) return compileTag(state, tag, place, within);
  if (mark.when && !state.known.has(mark.when.tag)) state.unknown.add(mark.when.tag);
  return [mark];
}

export function compileTag(state: CompileState, tag: Tag, place: Place, within: Inside = {}): Piece[] {
  const { content, known } = state;
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
    const drafts = parseTags(line, 'plain').flatMap((token) =>
      typeof token === 'string' ? [escapeFor(inner, token)] : compileToken(state, token, inner, { nested: true }),
    );
    return nest(joinPieces(drafts), state.badConditions);
  }
  if (tag.name.startsWith('LIST:')) {
    const fact = tag.name.slice('LIST:'.length).toLowerCase() as ListFact;
    const first = content.lists[0]?.[fact] ?? '';
    const same = content.lists.every((list) => list[fact] === first);
    return same ? [escapeFor(place, first)] : [{ slot: 'list', fact, place }];
  }
  const name = fieldTag(tag.name, content.fields);
  const field = content.fields.find(({ tag }) => tag === name);
  return [{ slot: 'field', tag: name, fallback: tag.argument ?? field?.default ?? '', place }];
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

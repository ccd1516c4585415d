// What a merge tag becomes in a compiled message: constant text, a slot, or nothing. Also the state that compiling one
// campaign carries along. Promises that a tag is compiled once, for its place, and never looked at again.
import type { CampaignContent, Link, ListFact, Piece } from './compiled.ts';
import { addressTags, fieldTag, knownTags, parseTags, type Tag } from './merge.ts';
import { escapeFor, type Place } from './places.ts';
import { usualFormat } from './tag-date.ts';

/** One campaign while it is compiled: its link table and the unknown tags grow. */
export type Work = {
  content: CampaignContent;
  links: Link[];
  linkByTarget: Map<string, number>;
  known: Set<string>;
  unknown: Set<string>;
};

export function begin(content: CampaignContent): Work {
  return { content, links: [], linkByTarget: new Map(), known: knownTags(content.fields), unknown: new Set() };
}

/** Neighbouring strings made one, empty ones dropped. */
export function joined(pieces: readonly Piece[]): Piece[] {
  const result: Piece[] = [];
  let text: string[] = [];
  const flush = () => {
    const whole = text.join('');
    if (whole !== '') result.push(whole);
    text = [];
  };
  for (const piece of pieces) {
    if (typeof piece === 'string') {
      text.push(piece);
    } else {
      flush();
      result.push(piece);
    }
  }
  flush();
  return result;
}

/** What a tag puts into its place: constant text, slots, or nothing for an unknown one. */
export function tagPieces(
  work: Work,
  tag: Tag,
  place: Place,
  within: { linked?: boolean; nested?: boolean } = {},
): Piece[] {
  const { content, known } = work;
  if (!known.has(tag.name)) {
    work.unknown.add(tag.name);
    return [];
  }
  if (tag.name in addressTags) return ownAddress(content, tag, place, within.linked ?? false);
  if (tag.name === 'DATE') return [{ slot: 'date', format: tag.argument?.trim() || usualFormat, place }];
  if (tag.name === 'CAMPAIGN:SUBJECT' || tag.name === 'CAMPAIGN:SENDER_NAME') {
    // The subject may hold tags, but not itself.
    if (within.nested) return [];
    const inner: Place = place === 'whole-url' ? 'url-part' : place;
    return parseTags(tag.name === 'CAMPAIGN:SUBJECT' ? content.subject : content.fromName).flatMap((token) =>
      typeof token === 'string' ? [escapeFor(inner, token)] : tagPieces(work, token, inner, { nested: true }),
    );
  }
  if (tag.name.startsWith('LIST:')) {
    const fact = tag.name.slice('LIST:'.length).toLowerCase() as ListFact;
    const first = content.lists[0]?.[fact] ?? '';
    const same = content.lists.every((list) => list[fact] === first);
    return same ? [escapeFor(place, first)] : [{ slot: 'list', fact, place }];
  }
  const name = fieldTag(tag.name, content.fields);
  const field = content.fields.find((known) => known.tag === name);
  return [{ slot: 'field', tag: name, otherwise: tag.argument ?? field?.default ?? '', place }];
}

/** The recipient's own address: a link that says something in running text, the address itself elsewhere. */
function ownAddress(content: CampaignContent, tag: Tag, place: Place, linked: boolean): Piece[] {
  if (place === 'raw' || place === 'header') return [];
  const address = addressTags[tag.name as keyof typeof addressTags];
  if (place !== 'text') return [{ slot: 'own', address, place }];
  const words = escapeFor('text', tag.argument?.trim() || content.words[address]);
  return linked ? [words] : [{ slot: 'own', address, place, words }];
}

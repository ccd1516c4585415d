// Example data for previews, tests and the check: for each member that a message shows, what it would look like. Made of nothing but
// the tags, so an email can be looked at before anything has happened.
import type { Compiled, Condition, DataSlot, Piece, Recipient } from '../markup/compiled.ts';
import { allPieces, testsOf } from '../markup/conditions.ts';
import { itemTag, type Json } from '../markup/data.ts';
import { targetPieces } from './fill.ts';

/** Items of each list. */
const exampleItems = 2;

/** Values being put together: objects and lists are filled as paths into them are found. */
type Draft = Map<string, Draft | Json>;

/** The values with members that the message shows, by name; undefined if it shows none. */
export function exampleData(compiled: Compiled): Record<string, Json> | undefined {
  const root: Draft = new Map();
  const parts = [compiled.html, compiled.plain, compiled.subject, compiled.fromName, compiled.toName].map(
    (part) => part ?? [],
  );
  const shown = parts.flatMap((part) => [...allPieces(part)]);
  const members = [...shown, ...compiled.links.flatMap(({ target }) => targetPieces(target))].filter(isMember);
  // What a comparison asks for and what an address must be decide before what is only shown.
  for (const part of parts) suit(root, part, (operator) => operator !== 'set');
  for (const member of members) if (member.place === 'whole-url') show(root, member);
  for (const member of members) show(root, member);
  for (const part of parts) suit(root, part, (operator) => operator === 'set');
  return root.size === 0 ? undefined : (jsonOf(root) as Record<string, Json>);
}

const isMember = (piece: Piece): piece is DataSlot => typeof piece !== 'string' && piece.slot === 'data';

/** The recipient as one whom an example event has let in. */
export function withExample<R extends Recipient>(recipient: R, compiled: Compiled): R {
  const data = exampleData(compiled);
  return data ? { ...recipient, data } : recipient;
}

/** Puts values for which the tests of conditions hold. @param list that the loop around the pieces is for */
function suit(
  root: Draft,
  pieces: readonly Piece[],
  isAsked: (operator: Condition['operator']) => boolean,
  list: readonly string[] | null = null,
): void {
  for (const piece of pieces) {
    if (typeof piece === 'string') continue;
    if (piece.slot === 'each') suit(root, piece.pieces, isAsked, [piece.of, ...piece.path]);
    if (piece.slot !== 'choice') continue;
    for (const { when, pieces: inner } of piece.branches) {
      for (const test of when ? testsOf(when) : []) if (isAsked(test.operator)) suitTest(root, test, list);
      suit(root, inner, isAsked, list);
    }
  }
}

function suitTest(root: Draft, { tag, operator, value }: Condition, list: readonly string[] | null): void {
  const [name, path] = tag.split(':') as [string, string | undefined];
  const suiting = operator === '>' ? String(Number(value) + 1) : operator === '<' ? String(Number(value) - 1) : value;
  const example = operator === 'set' ? 'true' : operator === '!=' ? `${value} 2` : suiting;
  if (name === itemTag && list)
    for (const no of numbers) put(root, [...list, no, ...(path?.split('.') ?? [])], example);
  else if (path !== undefined && name !== itemTag) put(root, [name, ...path.split('.')], example);
}

const numbers = Array.from({ length: exampleItems }, (_, no) => String(no));

function show(root: Draft, { of, path, item, place }: DataSlot): void {
  const name = (item ?? path).at(-1) ?? path.at(-1) ?? of;
  const isAddress = place === 'whole-url';
  const words = name.replaceAll('_', ' ');
  if (item === undefined) put(root, [of, ...path], isAddress ? 'https://example.com/' : words);
  else
    for (const no of numbers) {
      const number = Number(no) + 1;
      put(root, [of, ...path, no, ...item], isAddress ? `https://example.com/${number}` : `${words} ${number}`);
    }
}

/** Puts a value where there is none yet. */
function put(root: Draft, path: readonly string[], value: Json): void {
  let at = root;
  for (const [depth, name] of path.entries()) {
    const known = at.get(name);
    if (depth === path.length - 1) {
      if (known === undefined) at.set(name, value);
      return;
    }
    // A member of what is text already: an object has both.
    const next = known instanceof Map ? known : (new Map() as Draft);
    at.set(name, next);
    at = next;
  }
}

/** What has numbers for names is a list. */
function jsonOf(value: Draft | Json): Json {
  if (!(value instanceof Map)) return value as Json;
  const entries = [...value].map(([name, inner]) => [name, jsonOf(inner)] as const);
  if (entries.length === 0 || !entries.every(([name]) => /^\d{1,2}$/.test(name))) return Object.fromEntries(entries);
  const list: Json[] = [];
  for (const [name, inner] of entries) list[Number(name)] = inner;
  return Array.from(list, (item) => item ?? null);
}

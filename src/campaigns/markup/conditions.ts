// Merge conditions: *|IF:FNAME|* … *|ELSEIF:CITY=Berlin|* … *|ELSE:|* … *|END:IF|*, and *|IFNOT:FNAME|*. Reads them, nests what
// is between them, and decides them for a recipient. Guarantees that no content is lost: where a condition is incomplete, its
// content is shown to everyone and the condition is reported.
import type { Choice, Condition, Piece } from './compiled.ts';
import { fieldTag, type MergeField, type Tag } from './merge-tags.ts';
import { decodeReferences } from './scan-html.ts';

/** A condition tag among the pieces of a text, before they are nested. `text` is the tag as it was written. */
export type Mark = { mark: 'if' | 'elseif' | 'else' | 'end'; when: Condition | null; text: string };

/** A piece of a text that is not nested yet. */
export type Draft = Piece | Mark;

/** Conditions within conditions, at most. */
const maxDepth = 20;

/** The mark that a tag makes; undefined for tags that are values, also for fields that have the name of a condition. */
export function markOf(tag: Tag, fields: readonly MergeField[]): Mark | undefined {
  const { name, argument } = tag;
  const text = argument === null ? `*|${name}|*` : `*|${name}:${argument}|*`;
  if (name === 'END' && /^\s*IF\s*$/i.test(argument ?? '')) return { mark: 'end', when: null, text };
  if (fields.some((field) => field.tag === name)) return undefined;
  if (name === 'ENDIF') return { mark: 'end', when: null, text };
  if (name === 'ELSE' && (argument ?? '').trim() === '') return { mark: 'else', when: null, text };
  const opening = /^(ELSE)?IF(NOT)?$/.exec(name);
  if (!opening || argument === null) return undefined;
  const when = readCondition(decodeReferences(argument), opening[2] !== undefined, fields);
  return { mark: opening[1] ? 'elseif' : 'if', when, text };
}

const expression = /^\s*([A-Za-z]\w{0,63})\s*(?:(!=|>=|<=|==?|>|<)\s*(.*?))?\s*$/s;

/** Null when it is not a field, alone or compared with a value. */
function readCondition(text: string, negated: boolean, fields: readonly MergeField[]): Condition | null {
  const [, name, operator, given = ''] = expression.exec(text.replaceAll('\u00a0', ' ')) ?? [];
  if (name === undefined) return null;
  const tag = fieldTag(name.toUpperCase(), fields);
  if (operator === undefined) return { tag, operator: 'set', value: '', negated };
  const value = /^(["'])(.*)\1$/s.exec(given)?.[2] ?? given;
  return { tag, operator: operator === '==' ? '=' : (operator as Condition['operator']), value, negated };
}

/** Nests the pieces between marks into choices. `bad` gets the conditions that are incomplete or cannot be read. */
export function nest(drafts: readonly Draft[], bad: Set<string>): Piece[] {
  type Open = { choice: Choice; text: string; hasElse: boolean };
  const top: Piece[] = [];
  const open: Open[] = [];
  const current = (): Piece[] => open.at(-1)?.choice.branches.at(-1)?.pieces ?? top;
  const close = (): Choice => open.pop()!.choice;
  for (const draft of drafts) {
    if (typeof draft === 'string' || 'slot' in draft) {
      current().push(draft);
      continue;
    }
    const { mark, when, text } = draft;
    const within = open.at(-1);
    const isBad = (mark === 'if' || mark === 'elseif') && when === null;
    if (isBad || (mark !== 'if' && (!within || (mark !== 'end' && within.hasElse)))) bad.add(text);
    if (mark === 'if') {
      open.push({ choice: { slot: 'choice', branches: [{ when, pieces: [] }] }, text, hasElse: when === null });
      if (open.length > maxDepth) bad.add(text);
    } else if (within && mark === 'end') {
      const choice = close();
      current().push(choice);
    } else if (within && !within.hasElse) {
      within.choice.branches.push({ when, pieces: [] });
      within.hasElse = when === null;
    }
  }
  // Without an end, all of the content is for everyone.
  while (open.length > 0) {
    bad.add(open.at(-1)!.text);
    const pieces = close().branches.flatMap((branch) => branch.pieces);
    current().push(...pieces);
  }
  return top;
}

/** Whether a condition holds for the value of its field. Numbers are compared as numbers, all else without regard to case. */
export function holds({ operator, value, negated }: Condition, actual: string): boolean {
  return isFulfilled(operator, actual.trim(), value.trim()) !== negated;
}

function isFulfilled(operator: Condition['operator'], actual: string, value: string): boolean {
  if (operator === 'set') return actual !== '';
  const order = compare(actual, value);
  if (operator === '=') return order === 0;
  if (operator === '!=') return order !== 0;
  if (actual === '') return false;
  if (operator === '>') return order > 0;
  if (operator === '<') return order < 0;
  return operator === '>=' ? order >= 0 : order <= 0;
}

const number = /^[+-]?\d+(?:\.\d+)?$/;

function compare(a: string, b: string): number {
  if (number.test(a) && number.test(b)) return Math.sign(Number(a) - Number(b));
  const [left, right] = [a.toLowerCase(), b.toLowerCase()];
  return left === right ? 0 : left < right ? -1 : 1;
}

/** The pieces of the branch that a recipient gets. @param value of a field, '' without one */
export function chosen(choice: Choice, value: (tag: string) => string): readonly Piece[] {
  return choice.branches.find(({ when }) => when === null || holds(when, value(when.tag)))?.pieces ?? [];
}

/** All pieces, those of every branch included. */
export function* allPieces(pieces: readonly Piece[]): Generator<Exclude<Piece, Choice>> {
  for (const piece of pieces) {
    if (typeof piece === 'string' || piece.slot !== 'choice') yield piece;
    else for (const branch of piece.branches) yield* allPieces(branch.pieces);
  }
}

/** The pieces with each one replaced, by one or several, those of every branch included; null removes a piece. */
export function mapPieces(
  pieces: readonly Piece[],
  change: (piece: Exclude<Piece, Choice>) => Piece | Piece[] | null,
): Piece[] {
  return pieces.flatMap((piece) => {
    if (typeof piece === 'string' || piece.slot !== 'choice') return change(piece) ?? [];
    return {
      ...piece,
      branches: piece.branches.map((branch) => ({ ...branch, pieces: mapPieces(branch.pieces, change) })),
    };
  });
}

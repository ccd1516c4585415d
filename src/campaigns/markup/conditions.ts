// Merge conditions: *|IF:FNAME|* … *|ELSEIF:CITY=Berlin AND AGE>18|* … *|ELSE:|* … *|END:IF|*, and *|IFNOT:FNAME|*; and loops:
// *|EACH:EVENT:items|* … *|END:EACH|*. Reads them, nests what is between them, and decides them for a recipient. Guarantees
// that no content is lost: where one is incomplete, its content is shown to everyone, once, and it is reported.
import { chosenIn } from '../../audience/model/choice-names.ts';
import { choiceKey, yesOrNo } from '../../audience/model/chosen.ts';
import type { BadLoop, Choice, Condition, Each, LoopProblem, Piece, When } from './compiled.ts';
import { type DataPath, dataType, itemTag, readDataPath, readPath } from './data.ts';
import { fieldTag, type MergeField, type Tag } from './merge-tags.ts';
import { decodeReferences } from './scan-html.ts';

/** A condition tag among the pieces of a text, before they are nested. `text` is the tag as it was written. */
export type Mark = { mark: 'if' | 'elseif' | 'else' | 'end'; when: When | null; text: string } | LoopMark;

/** A tag that begins or ends a loop. */
export type LoopMark = { mark: 'each'; each: DataPath; text: string } | { mark: 'end-each'; text: string };

/** A piece of a text that is not nested yet. */
export type Draft = Piece | Mark;

/** Conditions within conditions, at most. */
const maxDepth = 20;

/** The mark that a tag makes; undefined for tags that are values, also for fields that have the name of a condition or loop. */
export function markOf(tag: Tag, fields: readonly MergeField[]): Mark | undefined {
  const { name, argument } = tag;
  const text = argument === null ? `*|${name}|*` : `*|${name}:${argument}|*`;
  const ended = name === 'END' ? /^\s*(IF|EACH)\s*$/i.exec(argument ?? '')?.[1]?.toUpperCase() : undefined;
  if (ended === 'IF') return { mark: 'end', when: null, text };
  if (ended === 'EACH') return { mark: 'end-each', text };
  if (fields.some((field) => field.tag === name)) return undefined;
  if (name === 'ENDIF') return { mark: 'end', when: null, text };
  if (name === 'ELSE' && (argument ?? '').trim() === '') return { mark: 'else', when: null, text };
  if (name === 'EACH') {
    const each = readDataPath(decodeReferences(argument ?? ''));
    return each ? { mark: 'each', each, text } : undefined;
  }
  const opening = /^(ELSE)?IF(NOT)?$/.exec(name);
  if (!opening || argument === null) return undefined;
  const when = readWhen(decodeReferences(argument), opening[2] !== undefined, fields);
  return { mark: opening[1] ? 'elseif' : 'if', when, text };
}

/** A field, or a member after the name of a value with members. */
const named = String.raw`([A-Za-z]\w{0,63}(?:\s*:\s*[^\s=!<>"':|]+)?)`;
const operators = '(!=|>=|<=|==?|>|<)';
const test = new RegExp(String.raw`^\s*${named}(?:\s*${operators}\s*)?`, 's');
const joined = new RegExp(String.raw`^\s+(AND|OR)\s+(?=${named}\s*(?:${operators}|$|\s))`, 's');

/**
 * Tests joined by AND and OR, of which AND binds closer; null when it is none. After a value, AND and OR are part of it unless the
 * comparison of a known field follows, or a known field behind a value in quotes or an order: *|IF:NAME=Rock AND Roll|* has one test.
 */
function readWhen(text: string, negated: boolean, fields: readonly MergeField[]): When | null {
  let rest = text.replaceAll('\u00a0', ' ').trimEnd();
  const any: Condition[][] = [[]];
  for (;;) {
    const [whole, name, operator] = test.exec(rest) ?? [];
    const tag = name === undefined ? null : testedTag(name, fields);
    if (tag === null) return null;
    rest = rest.slice(whole!.length);
    let value = '';
    if (operator !== undefined) ({ value, rest } = readValue(rest, fields, /[<>]/.test(operator)));
    const known = (operator ?? 'set') === '==' ? '=' : ((operator ?? 'set') as Condition['operator']);
    any.at(-1)!.push(asStored({ tag, operator: known, value, negated: false }, fields));
    if (rest.trim() === '') break;
    const joint = joined.exec(rest);
    if (!joint) return null;
    if (joint[1] === 'OR') any.push([]);
    rest = rest.slice(joint[0].length);
  }
  const [first] = any[0]!;
  return any.length === 1 && any[0]!.length === 1 ? { ...first!, negated } : { any, negated };
}

/** A test of a yes/no or a multiple choice, as its values are stored. */
function asStored(condition: Condition, fields: readonly MergeField[]): Condition {
  const { tag, operator, value } = condition;
  const type = fields.find((field) => field.tag === tag)?.type;
  if (type === 'yes_no' && operator === 'set') return { ...condition, operator: '=', value: 'yes' };
  if (type === 'yes_no') return { ...condition, value: yesOrNo(value) ?? value };
  if (type !== 'multiple_choice' || value.trim() === '') return condition;
  if (operator !== '=' && operator !== '!=') return condition;
  return { ...condition, operator: operator === '=' ? 'has' : 'lacks' };
}

/** The value in front of the next test, and what is left. @param isOrder compared by < or >, where words are rarely a value */
function readValue(text: string, fields: readonly MergeField[], isOrder: boolean): { value: string; rest: string } {
  const quote = /^["']/.exec(text)?.[0];
  if (quote !== undefined) {
    for (let end = text.indexOf(quote, 1); end > 0; end = text.indexOf(quote, end + 1)) {
      const rest = text.slice(end + 1);
      if (isTestNext(rest, fields, true)) return { value: text.slice(1, end), rest };
    }
    if (text.length > 1 && text.endsWith(quote)) return { value: text.slice(1, -1), rest: '' };
  }
  for (const { index } of text.matchAll(/\s+(?:AND|OR)\s/g)) {
    const rest = text.slice(index);
    if (isTestNext(rest, fields, isOrder)) return { value: text.slice(0, index), rest };
  }
  return { value: text, rest: '' };
}

/** Whether a text continues with AND or OR and a test of something known. @param bare it may have no comparison */
function isTestNext(text: string, fields: readonly MergeField[], bare: boolean): boolean {
  const [, , name, operator] = joined.exec(text) ?? [];
  const tag = name === undefined ? null : testedTag(name, fields);
  if (tag === null || (operator === undefined && !bare && !tag.includes(':'))) return false;
  return (
    tag.includes(':') || [itemTag, 'EMAIL', 'EMAIL_TYPE'].includes(tag) || fields.some((field) => field.tag === tag)
  );
}

/** The field or member (`EVENT:total`) that a test names; null for a member of what has none. */
function testedTag(name: string, fields: readonly MergeField[]): string | null {
  const [word, member] = name.split(':');
  const tag = word!.trim().toUpperCase();
  if (member === undefined) return fieldTag(tag, fields);
  const hasMembers = tag === itemTag || fields.some((field) => field.tag === tag && field.type === dataType);
  const path = readPath(member);
  return hasMembers && path ? `${tag}:${path.join('.')}` : null;
}

/** Mistakes in loops, each once. */
export type BadLoops = Map<string, BadLoop>;

export function noteBadLoop(found: BadLoops, text: string, problem: LoopProblem): void {
  found.set(`${problem} ${text}`, { text, problem });
}

type OpenChoice = { choice: Choice; text: string; hasElse: boolean };
type OpenLoop = { each: Each; text: string; isNested: boolean };

/**
 * Nests the pieces between marks into choices and loops.
 * @param bad gets the conditions that are incomplete or cannot be read
 * @param badLoops gets the tags of loops that have no effect
 */
export function nest(drafts: readonly Draft[], bad: Set<string>, badLoops: BadLoops = new Map()): Piece[] {
  const top: Piece[] = [];
  const open: (OpenChoice | OpenLoop)[] = [];
  const current = (): Piece[] => {
    const inner = open.at(-1);
    if (!inner) return top;
    return 'each' in inner ? inner.each.pieces : inner.choice.branches.at(-1)!.pieces;
  };
  /** Ends the innermost, which has no end: all of its content is for everyone, once. */
  const giveUp = () => {
    const inner = open.pop()!;
    if ('each' in inner) current().push(...inner.each.pieces);
    else {
      bad.add(inner.text);
      current().push(...inner.choice.branches.flatMap((branch) => branch.pieces));
    }
  };
  const endLoop = (text: string) => {
    const begin = open.findLastIndex((inner) => 'each' in inner);
    if (begin < 0) {
      noteBadLoop(badLoops, text, 'end');
      return;
    }
    // A condition that ends after the loop.
    if (begin < open.length - 1) noteBadLoop(badLoops, open[begin]!.text, 'crossed');
    while (open.length > begin + 1) giveUp();
    const { each, isNested } = open.pop() as OpenLoop;
    if (isNested) current().push(...each.pieces);
    else current().push(each);
  };
  for (const draft of drafts) {
    if (typeof draft === 'string' || 'slot' in draft) {
      current().push(draft);
    } else if (draft.mark === 'each') {
      const isNested = open.some((inner) => 'each' in inner);
      if (isNested) noteBadLoop(badLoops, draft.text, 'nested');
      open.push({ each: { slot: 'each', ...draft.each, pieces: [] }, text: draft.text, isNested });
    } else if (draft.mark === 'end-each') {
      endLoop(draft.text);
    } else {
      const { mark, when, text } = draft;
      const inner = open.at(-1);
      const within = inner && 'choice' in inner ? inner : undefined;
      const isBad = (mark === 'if' || mark === 'elseif') && when === null;
      if (isBad || (mark !== 'if' && (!within || (mark !== 'end' && within.hasElse)))) bad.add(text);
      // A condition that began before the loop.
      if (mark !== 'if' && inner && !within && open.some((outer) => 'choice' in outer))
        noteBadLoop(badLoops, inner.text, 'crossed');
      if (mark === 'if') {
        open.push({ choice: { slot: 'choice', branches: [{ when, pieces: [] }] }, text, hasElse: when === null });
        if (open.length > maxDepth) bad.add(text);
      } else if (within && mark === 'end') {
        open.pop();
        current().push(within.choice);
      } else if (within && !within.hasElse) {
        within.choice.branches.push({ when, pieces: [] });
        within.hasElse = when === null;
      }
    }
  }
  while (open.length > 0) {
    const { text, ...inner } = open.at(-1)!;
    if ('each' in inner) noteBadLoop(badLoops, text, 'open');
    giveUp();
  }
  return top;
}

/** The loop that each offset of a text is in; a function for ascending or other offsets. @param tags in order */
export function loopsOf(tags: readonly Tag[], fields: readonly MergeField[]): (offset: number) => DataPath | null {
  const loops: { start: number; end: number; each: DataPath }[] = [];
  let begun: { start: number; each: DataPath; depth: number } | null = null;
  for (const tag of tags) {
    if (tag.name !== 'EACH' && tag.name !== 'END') continue;
    const mark = markOf(tag, fields);
    if (mark?.mark === 'each') {
      begun ??= { start: tag.start, each: mark.each, depth: 0 };
      begun.depth++;
    } else if (mark?.mark === 'end-each' && begun && --begun.depth === 0) {
      loops.push({ ...begun, end: tag.end });
      begun = null;
    }
  }
  if (begun) loops.push({ ...begun, end: Number.POSITIVE_INFINITY });
  if (loops.length === 0) return () => null;
  return (offset) => loops.find(({ start, end }) => offset >= start && offset < end)?.each ?? null;
}

/** Whether a condition holds. @param value of a field or member; @param isSet of that, whether it is asked for only to see if there is one */
export function isMet(when: When, value: (tag: string, isSet: boolean) => string): boolean {
  if ('tag' in when) return holds(when, value(when.tag, when.operator === 'set'));
  const isAny = when.any.some((all) => all.every((condition) => isMet(condition, value)));
  return isAny !== when.negated;
}

/** The tests of a condition. */
export const testsOf = (when: When): readonly Condition[] => ('tag' in when ? [when] : when.any.flat());

/** Whether a condition holds for the value of its field. Numbers are compared as numbers, all else without regard to case. */
export function holds({ operator, value, negated }: Condition, actual: string): boolean {
  return isFulfilled(operator, actual.trim(), value.trim()) !== negated;
}

function isFulfilled(operator: Condition['operator'], actual: string, value: string): boolean {
  if (operator === 'set') return actual !== '';
  if (operator === 'has') return hasChosen(actual, value);
  if (operator === 'lacks') return !hasChosen(actual, value);
  const order = compare(actual, value);
  if (operator === '=') return order === 0;
  if (operator === '!=') return order !== 0;
  if (actual === '') return false;
  if (operator === '>') return order > 0;
  if (operator === '<') return order < 0;
  return operator === '>=' ? order >= 0 : order <= 0;
}

/** Whether a name, or each of several, is chosen. */
function hasChosen(stored: string, asked: string): boolean {
  const chosen = new Set(chosenIn(stored).map(choiceKey));
  const names = chosenIn(asked);
  return chosen.has(choiceKey(asked)) || (names.length > 0 && names.every((name) => chosen.has(choiceKey(name))));
}

const number = /^[+-]?\d+(?:\.\d+)?$/;

function compare(a: string, b: string): number {
  if (number.test(a) && number.test(b)) return Math.sign(Number(a) - Number(b));
  const [left, right] = [a.toLowerCase(), b.toLowerCase()];
  return left === right ? 0 : left < right ? -1 : 1;
}

/** The pieces of the branch that a recipient gets. @param value of a field or member, '' without one */
export function chosen(choice: Choice, value: (tag: string, isSet: boolean) => string): readonly Piece[] {
  return choice.branches.find(({ when }) => when === null || isMet(when, value))?.pieces ?? [];
}

/** All pieces, those of every branch and loop included. */
export function* allPieces(pieces: readonly Piece[]): Generator<Exclude<Piece, Choice | Each>> {
  for (const piece of pieces) {
    if (typeof piece === 'string') yield piece;
    else if (piece.slot === 'each') yield* allPieces(piece.pieces);
    else if (piece.slot === 'choice') for (const branch of piece.branches) yield* allPieces(branch.pieces);
    else yield piece;
  }
}

/** All choices and loops, also those within others. */
export function* allBlocks(pieces: readonly Piece[]): Generator<Choice | Each> {
  for (const piece of pieces) {
    if (typeof piece === 'string' || (piece.slot !== 'choice' && piece.slot !== 'each')) continue;
    yield piece;
    if (piece.slot === 'each') yield* allBlocks(piece.pieces);
    else for (const branch of piece.branches) yield* allBlocks(branch.pieces);
  }
}

/** The pieces with each one replaced, by one or several, those of every branch and loop included; null removes a piece. */
export function mapPieces(
  pieces: readonly Piece[],
  change: (piece: Exclude<Piece, Choice | Each>) => Piece | Piece[] | null,
): Piece[] {
  return pieces.flatMap((piece) => {
    if (typeof piece === 'string') return change(piece) ?? [];
    if (piece.slot === 'each') return { ...piece, pieces: mapPieces(piece.pieces, change) };
    if (piece.slot !== 'choice') return change(piece) ?? [];
    return {
      ...piece,
      branches: piece.branches.map((branch) => ({ ...branch, pieces: mapPieces(branch.pieces, change) })),
    };
  });
}

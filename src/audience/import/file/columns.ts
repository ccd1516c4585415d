// Maps the columns of a file to targets: proposes a mapping from headings in many languages, and reads an explicit
// mapping. Pure.
import { type Message, message } from '../../../base/messages.ts';
import { readUntidyMailbox } from '../../address.ts';
import { type Field, fieldTypes, findField } from '../../model/field.ts';
import { timeOf } from '../../model/special-vars.ts';
import { isReservedTag } from '../../model/tag.ts';
import {
  type BuiltInTarget,
  builtInTargets,
  type Column,
  type ImportStatusWord,
  leavingTargets,
  type Plan,
  repeatableTargets,
  timeTargets,
} from '../plan.ts';
import {
  AddressLook,
  agreesByTime,
  ConsentLook,
  ConsentTimeLook,
  isConsentHeading,
  type Look,
  marksLeavers,
  nameLook,
  statesStatus,
  tagsLook,
} from './consent.ts';
import { DateLook, type DateOrder, dateOrders } from './dates.ts';
import { headingsByTarget, plainHeading } from './headings.ts';
import { codesOf, neutralHeadings } from './providers.ts';
import { isStatusWord, isYesOrNo, lettersOf, statusOf } from './status-words.ts';
import { DecimalLook } from './values.ts';

/** Proposes a target for each heading; '' for columns whose meaning is unclear. */
export function proposeColumns(
  headings: readonly string[],
  fields: readonly Field[],
  samples: readonly (readonly string[])[] = [],
): Column[] {
  const taken = new Set<string>();
  const neutral = neutralHeadings(headings);
  const cellsOf = ({ no }: Column) => samples.map((row) => row[no] ?? '').filter((cell) => cell.trim() !== '');
  const meanings = [
    // Before the fields of the list: who left must not be lost in a field of the same name.
    ({ heading }: Column) =>
      isOurs(headings) && heading.trim() === 'UNSUBSCRIBE_TIME' ? heading.trim() : leavingTarget(heading),
    // Exact names of the list take precedence over words in any language.
    ({ heading }: Column) => fields.find((field) => field.tag === heading.trim().toUpperCase())?.tag,
    (column: Column) => {
      const target = builtInTargets.find((name) => name === column.heading.trim().toUpperCase());
      return target === 'STATUS' && !isReadable('status', cellsOf(column)) ? undefined : target;
    },
    ({ heading }: Column) => fields.find((field) => `MERGE${field.mergeNo}` === heading.trim().toUpperCase())?.tag,
    ({ heading }: Column) =>
      fields.find((field) => field.tag !== 'EMAIL' && plainHeading(field.name) === plainHeading(heading))?.tag,
    (column: Column) => {
      const plain = plainHeading(column.heading);
      const target = targetByCells(plain, targetByHeading(plain), cellsOf(column));
      return (builtInTargets as readonly string[]).includes(target ?? '')
        ? target
        : fields.find((field) => field.tag === target)?.tag;
    },
    (column: Column) => (marksLeavers(column.heading, cellsOf(column)) ? 'UNSUBSCRIBED' : undefined),
    (column: Column) => (statesStatus(column.heading, cellsOf(column)) ? 'STATUS' : undefined),
  ];
  const columns: Column[] = headings.map((heading, no) => ({ no, heading, target: '' }));
  for (const column of columns) {
    const codes = codesOf(headings, column.heading, cellsOf(column));
    if (codes) Object.assign(column, { target: 'STATUS', codes });
  }
  for (const meaning of meanings) {
    for (const column of columns) {
      if (column.target !== '') continue;
      if (neutral.has(column.heading.trim().toLowerCase())) continue;
      const target = meaning(column);
      if (target === undefined || (taken.has(target) && !repeatableTargets.includes(target))) continue;
      // A second column of yes and no is of another consent: a person decides.
      if (target === 'STATUS' && taken.has(target) && !cellsOf(column).some(isStatusWord)) continue;
      column.target = target;
      taken.add(target);
    }
  }
  if (!taken.has('EMAIL')) {
    const candidates = columns.filter(
      (candidate) =>
        candidate.target === '' &&
        samples.length > 0 &&
        samples.filter((cells) => readUntidyMailbox(cells[candidate.no] ?? '').ok).length * 2 > samples.length,
    );
    const column = candidates.find(({ heading }) => !ofSomeoneElse.test(plainHeading(heading))) ?? candidates[0];
    if (column) column.target = 'EMAIL';
  }
  return columns;
}

/** Headings of addresses that a contact had before, or that are those of other people. */
const ofSomeoneElse =
  /^(old|former|previous|prior|second|alt|other|backup|recovery|manager|parent|owner|assistant|referr|invoice|billing|alte|frühere|fruhere|zweite|ancien|vorgesetzt|rechnung)/;

/** These columns, with `asks` for each that looks as if it says who may get email and is not mapped to that. */
export function withQuestions(plan: Plan, fields: readonly Field[], samples: string[][]) {
  const looks = consentLooks(plan);
  for (const row of samples) for (const [no, look] of looks) look.add(row[no] ?? '');
  const asking = plan.columns.map(({ asks, ...column }): Column => {
    if (looks.get(column.no)?.looks) return { ...column, asks: 'sample' };
    return asks === 'file' && looks.has(column.no) ? { ...column, asks } : column;
  });
  const read = withDecimals(withOrders(withLetters(asking, samples), fields, samples), fields, samples);
  return withBlanks(read, plan.rules, samples);
}

/** These columns, with what the letters of a status mean. */
function withLetters(columns: readonly Column[], samples: string[][]): Column[] {
  return columns.map((column) => {
    const codes = column.target === 'STATUS' && lettersOf(samples.map((row) => row[column.no] ?? ''));
    return codes ? { ...column, codes } : column;
  });
}

/** These columns, with what an empty cell means where others say who agreed. */
function withBlanks(columns: Column[], rules: Plan['rules'], samples: string[][]): Column[] {
  const looks = blankLooks({ columns, rules });
  for (const row of samples) for (const [no, look] of looks) look.add(row[no] ?? '');
  return columns.map(({ isBlankNo: _, ...column }) =>
    looks.get(column.no)?.agrees ? { ...column, isBlankNo: true } : column,
  );
}

/** Whether a column of a status says of some that they agreed, so that those of whom it says nothing have not. */
class AgreedLook {
  readonly #column: Column;
  agrees = false;

  constructor(column: Column) {
    this.#column = column;
  }

  add(cell: string): void {
    if (this.agrees) return;
    const text = cell.trim();
    this.agrees = statusIn(this.#column, text) === 'subscribed';
  }
}

/** The column to look at, by its number, if a status is in one column only and none is chosen for the rest. */
export function blankLooks({ columns, rules }: Pick<Plan, 'columns' | 'rules'>): Map<number, AgreedLook> {
  const stating = columns.filter(({ target }) => repeatableTargets.includes(target));
  const [only] = stating;
  if (stating.length !== 1 || rules.status !== '' || only?.target !== 'STATUS') return new Map();
  return new Map([[only.no, new AgreedLook(only)]]);
}

/** The status that a cell gives; a time of consent is a yes. */
export function statusIn({ codes, heading }: Column, text: string): ImportStatusWord | undefined {
  const found = codes?.[text.toLowerCase()] ?? statusOf(text);
  if (found || text === '') return found;
  return agreesByTime(heading) && timeOf(text) !== undefined ? 'subscribed' : undefined;
}

/** These columns, with the sign before the decimals of their numbers. */
function withDecimals(columns: readonly Column[], fields: readonly Field[], samples: string[][]): Column[] {
  return columns.map(({ hasCommas: _, ...column }) => {
    if (typeOf(column, fields) !== 'number') return column;
    const look = new DecimalLook();
    for (const row of samples) look.add(row[column.no] ?? '');
    return look.hasCommas ? { ...column, hasCommas: true } : column;
  });
}

/** These columns, with the order of their dates as far as the values show it. */
function withOrders(columns: readonly Column[], fields: readonly Field[], samples: string[][]): Column[] {
  const looks = dateLooks(columns, fields);
  for (const row of samples) for (const [no, look] of looks) look.add(row[no] ?? '');
  return columns.map(({ order: before, ...column }) => {
    if (column.isOrderChosen && before) return { ...column, order: before };
    // What only later rows have shown stays so, unless these rows show an order.
    const order = looks.get(column.no)?.order ?? (looks.has(column.no) ? before : undefined);
    return order === undefined ? column : { ...column, order };
  });
}

/** What to look at in each column of dates whose order is not chosen, by its number. */
export function dateLooks(columns: readonly Column[], fields: readonly Field[]): Map<number, DateLook> {
  const open = columns.filter((column) => !column.isOrderChosen && isDateColumn(column, fields));
  return new Map(open.map(({ no }) => [no, new DateLook()]));
}

/** Whether a column holds dates or times. */
export const isDateColumn = (column: Column, fields: readonly Field[]) =>
  timeTargets.includes(column.target) || typeOf(column, fields) === 'date';

const typeOf = ({ target, newField }: Column, fields: readonly Field[]) =>
  newField?.type ?? fields.find((field) => field.tag === target)?.type;

/** What to look at in each column of which it is not decided whether it says who may get email, by its number. */
export function consentLooks({
  columns,
  rules,
  format,
}: Pick<Plan, 'columns' | 'rules' | 'format'>): Map<number, Look> {
  // No one is subscribed by such an import.
  if (['unsubscribed', 'bounced'].includes(rules.status)) return new Map();
  const has = (name: string) => columns.some(({ target }) => target === name);
  // A note of who left states nothing about the others.
  const hasStatus = columns.some(
    ({ heading, target, decided, codes }) => target === 'STATUS' && (decided || codes || isStatusHeading(heading)),
  );
  const stated = { status: hasStatus, left: has('UNSUBSCRIBED'), bounced: has('BOUNCED') };
  const isStated = stated.status || stated.left || stated.bounced;
  const headings = columns.map(({ heading }) => heading);
  const neutral = neutralHeadings(headings);
  const lookOf = ({ heading, target }: Column): Look | undefined => {
    // A heading that is the name of the target says what the column is.
    const isOpen = !isStated && rules.status === '' && heading.trim() !== target;
    if (target === 'EMAIL') return isOpen ? new AddressLook(heading, format.names ?? []) : undefined;
    if (target === 'TAGS') return isStated || rules.status !== '' ? undefined : tagsLook();
    if (target === 'FNAME' || target === 'LNAME') return isStated ? undefined : nameLook();
    if (target === 'OPTINTIME') return isOpen ? new ConsentTimeLook(heading) : undefined;
    if (target === '' || (isField(target) && !isOurs(headings))) return new ConsentLook(heading, stated);
    return undefined;
  };
  const open = columns.filter(({ heading, decided }) => !decided && !neutral.has(heading.trim().toLowerCase()));
  return new Map(
    open.flatMap((column) => {
      const look = lookOf(column);
      return look ? [[column.no, look] as const] : [];
    }),
  );
}

const isStatusHeading = (heading: string) =>
  heading.trim() === '' || isConsentHeading(heading) || targetByHeading(plainHeading(heading)) === 'STATUS';

/** In an export of ours, the status says who left. */
const isOurs = (headings: readonly string[]) => headings.some((heading) => heading.trim() === 'STATUS');

const isField = (target: string) =>
  !(builtInTargets as readonly string[]).includes(target) && !['FNAME', 'LNAME'].includes(target);

function targetByHeading(plain: string): string | undefined {
  return Object.entries(headingsByTarget).find(([, list]) => list.includes(plain))?.[0];
}

function leavingTarget(heading: string): string | undefined {
  const plain = plainHeading(heading);
  // One column for each kind of email.
  if (plain.startsWith('optedoutofemail')) return 'UNSUBSCRIBED';
  return leavingTargets.find((target) => headingsByTarget[target as BuiltInTarget]?.includes(plain));
}

/** Whether cells of a status are words, and not codes. 1 is a yes where a heading asks ("Subscribed"), and no one knows what as a state. */
const isReadable = (plain: string, cells: readonly string[]) =>
  cells.length === 0 ||
  (cells.some((cell) => statusOf(cell)) &&
    !cells.some((cell) => /^[2-9]$/.test(cell.trim())) &&
    !(isState.test(plain) && cells.every((cell) => /^[01]$/.test(cell.trim()))));

const isState =
  /(stat(e|us|ut|o)?|status[as]s?|estado|situacao|zustand|статус|стан|状态|ステータス|tila|olek|durum|stav|stare|상태|حالة|סטטוס)$/;

/** Headings that mean one thing here and another there: the cells decide. */
function targetByCells(plain: string, target: string | undefined, cells: readonly string[]): string | undefined {
  if (cells.length === 0) return target;
  // "Subscribed" is a time, or yes and no. Beside times, a no counts as a status (row.ts).
  if (target === 'OPTINTIME' && cells.some(isYesOrNo) && !cells.some((cell) => timeOf(cell.trim()) !== undefined))
    return plain === 'subscribed' ? 'STATUS' : undefined;
  if (['confirmed', 'optin', 'optedin', 'emailoptin'].includes(plain) && !cells.some((cell) => statusOf(cell)))
    return cells.every((cell) => timeOf(cell.trim()) !== undefined) ? 'OPTINTIME' : undefined;
  // Codes and words of another matter: a person decides.
  if (target === 'STATUS' && !isReadable(plain, cells)) return undefined;
  // A state is also a part of a country, where NE and ON are no answers.
  if (['state', 'estado', 'stato', 'tila', 'olek'].includes(plain) && !cells.some(isStatusWord)) return undefined;
  return target;
}

export type MappingReading = { ok: true; columns: Column[] } | { ok: false; problem: Message };

/**
 * Reads an explicit mapping: heading or number (from 1) → tag, built-in target, '' to leave out, or new:TAG[:type] for
 * a new field, each with :day_first or :month_first for dates. Columns that are not named keep the proposed target, unless another column takes it.
 */
export function readMapping(
  proposed: readonly Column[],
  given: Readonly<Record<string, string>>,
  fields: readonly Field[],
  member = 'mapping',
): MappingReading {
  const columns = proposed.map((column) => ({ ...column }));
  const named = new Set<number>();
  for (const [name, target] of Object.entries(given)) {
    const column =
      columns.find((candidate) => candidate.heading === name) ??
      columns.find((candidate) => plainName(candidate.heading) === plainName(name)) ??
      (/^\d{1,4}$/.test(name) ? columns[Number(name) - 1] : undefined);
    if (!column) return refuse(message('mapping.no_column', { member, name: name.slice(0, 60) }));
    const { order, rest } = splitOrder(target);
    const reading = readTarget(rest, column.heading, fields);
    if ('key' in reading)
      return refuse(message('mapping.column', { member, name: name.slice(0, 60), problem: reading }));
    named.add(column.no);
    column.target = reading.target;
    column.decided = true;
    delete column.asks;
    delete column.newField;
    delete column.order;
    delete column.isOrderChosen;
    if (reading.newField) column.newField = reading.newField;
    if (order && !isDateColumn(column, fields))
      return refuse(
        message('mapping.column', { member, name: name.slice(0, 60), problem: message('mapping.order_of_no_date') }),
      );
    if (order) Object.assign(column, { order, isOrderChosen: true });
    for (const other of columns)
      if (!named.has(other.no) && other.target === reading.target && !repeatableTargets.includes(reading.target)) {
        other.target = '';
        delete other.newField;
      }
  }
  const targets = columns
    .map((column) => column.target)
    .filter((target) => target && !repeatableTargets.includes(target));
  const twice = targets.find((target, i) => targets.indexOf(target) !== i);
  if (twice) return refuse(message('mapping.twice', { member, target: twice }));
  return { ok: true, columns };
}

/** The order of dates that a target ends in, as "BDAY:day_first". */
function splitOrder(target: string): { rest: string; order: DateOrder | undefined } {
  const order = dateOrders.find((name) => target.trim().toLowerCase().endsWith(`:${name}`));
  return { order, rest: order ? target.trim().slice(0, -order.length - 1) : target };
}

function readTarget(
  text: string,
  heading: string,
  fields: readonly Field[],
): { target: string; newField?: { name: string; type: string } } | Message {
  const target = text.trim();
  if (target === '' || target === '-') return { target: '' };
  const fresh = /^new:([A-Za-z][A-Za-z0-9_]{0,49})(?::([a-z_]+))?$/i.exec(target);
  if (fresh) {
    const tag = fresh[1]!.toUpperCase();
    const type = (fresh[2] ?? 'text').toLowerCase();
    if (['dropdown', 'multiple_choice'].includes(type) || !(fieldTypes as readonly string[]).includes(type))
      return message('mapping.field_type', { type: type.slice(0, 20) });
    const known = fields.find((field) => field.tag === tag);
    if (known && fresh[2] !== undefined && known.type !== type)
      return message('mapping.field_of_other_type', { tag, type: known.type, wanted: type });
    if (known) return { target: tag };
    if ((builtInTargets as readonly string[]).includes(tag) || isReservedTag(tag))
      return message('mapping.field_reserved', { tag });
    return { target: tag, newField: { name: heading.trim().slice(0, 100) || tag, type } };
  }
  const wanted = target.toUpperCase();
  const field = findField(fields, wanted);
  if (field) return { target: field.tag };
  const builtIn = builtInTargets.find((name) => name === wanted);
  if (builtIn) return { target: builtIn };
  return message('mapping.target_unknown', {
    target: target.slice(0, 40),
    tags: fields.map((field) => field.tag).join(', '),
    choices: builtInTargets.join(', '),
  });
}

const plainName = (text: string) => text.normalize('NFC').trim().toLowerCase();

const refuse = (problem: Message): MappingReading => ({ ok: false, problem });

// Reads one record of a file into a row to compare with the list, or the reason why it is unusable. Pure: the same record
// gives the same result in the dry run, in the run, and after a resume.
import { type Message, message } from '../../base/messages.ts';
import { isZone } from '../../base/zones.ts';
import { addressProblem, readUntidyMailbox } from '../address.ts';
import { withoutGuards } from '../formula-guard.ts';
import { isTag, maxTagLength, maxTags, tagKey } from '../model/contact-tag.ts';
import { type Field, readFieldText } from '../model/field.ts';
import { isFuture, isIp, languageOf } from '../model/special-vars.ts';
import { statusIn } from './file/columns.ts';
import { type DateOrder, dayIn, isNoDate, timeIn } from './file/dates.ts';
import { isMark, statusOf, strictness } from './file/status-words.ts';
import { numberOf, websiteOf } from './file/values.ts';
import { type Column, type ImportStatusWord, type Rules, repeatableTargets } from './plan.ts';

/** A row to compare; '' means the file has no value. */
export type Row = {
  email: string;
  key: string;
  domain: string;
  emailType: '' | 'html' | 'text';
  status: '' | ImportStatusWord;
  /** Its status is a no only because the cell is empty. */
  isBlankNo: boolean;
  language: string;
  zone: string;
  optinIp: string;
  /** Times in ISO 8601, UTC. */
  optinAt: string;
  confirmIp: string;
  confirmAt: string;
  signupAt: string;
  unsubscribeAt: string;
  unsubscribeReason: string;
  values: Record<string, string>;
  /** Tags of fields whose values are cleared. */
  cleared: string[];
  /** Tags that the contact gets, besides those that it has. */
  tags: string[];
};

export type Problem = { heading: string; value: string; reason: Message };
/** `leftOut`: cells that do not fit; the row is imported without their values. */
export type RowReading = { ok: true; row: Row; leftOut: Problem[] } | { ok: false; problem: Problem };

export type RowReader = (cells: readonly string[]) => RowReading;

/**
 * A reader for rows of these columns.
 * @param fields those of the list and those the import creates
 * @param now an opt-in after this time is rejected
 */
export function rowReader(columns: readonly Column[], fields: readonly Field[], rules: Rules, now: Date): RowReader {
  const cellReaders = columns
    .filter((column) => column.target !== '')
    .map((column) => ({
      column,
      read: cellReader(column, fields, rules, now),
      field: fields.find(({ tag }) => tag === column.target),
    }));
  return (cells) => {
    const row: Row = {
      email: '',
      key: '',
      domain: '',
      emailType: '',
      status: '',
      isBlankNo: false,
      language: '',
      zone: '',
      optinIp: '',
      optinAt: '',
      confirmIp: '',
      confirmAt: '',
      signupAt: '',
      unsubscribeAt: '',
      unsubscribeReason: '',
      values: {},
      cleared: [],
      tags: [],
    };
    const leftOut: Problem[] = [];
    for (const { column, read, field } of cellReaders) {
      const cell = cells[column.no] ?? '';
      const reason = suspicious.test(cell) ? textProblem(cell) : undefined;
      // A status that a database has not set is none to get email by.
      const isEmpty = !isEssential(column) && (cell.trim() === 'NULL' || (field && isNothing(cell, field)));
      const text = isEmpty ? '' : textOfCell(cell);
      const wrong = reason ?? read(text, row);
      if (wrong === undefined) continue;
      const problem = { heading: column.heading || column.target, value: shown(cell) };
      if (isEssential(column)) return { ok: false, problem: { ...problem, reason: wrong } };
      leftOut.push({ ...problem, reason: message('import.left_out', { problem: wrong }) });
    }
    return { ok: true, row, leftOut };
  };
}

/**
 * Whether a cell is what databases, tables and programs write where there is no value, in a field that would take it as a text;
 * others leave it out and say so. Null, Nil, Na and None are also names and places: those count only as programs write them.
 */
const isNothing = (cell: string, { type, choices }: Field) =>
  ['text', 'address', 'phone', 'dropdown', 'yes_no', 'multiple_choice'].includes(type) &&
  !choices.includes(cell.trim()) &&
  /^\s*(?:null|nil|undefined|NaN|[(<[]null[)>\]]|n\/a|N\/A|#(?:N\/A|NV|NULL!|REF!|VALUE!|NUM!|NAME\?|DIV\/0!))\s*$/.test(
    cell,
  );

/** Without an address there is no contact, and without its status it might get email that it has refused. */
const isEssential = ({ target }: Column) => target === 'EMAIL' || repeatableTargets.includes(target);

/**
 * What is wrong with a row that has more cells than the file has columns: a delimiter in a value has moved the cells after
 * it, so that none of them can be trusted.
 */
export function overflowOf(cells: readonly string[], width: number): Problem | undefined {
  for (let no = width; no < cells.length; no++)
    if (cells[no]!.trim() !== '')
      return { heading: '', value: shown(cells[no]!), reason: message('import.too_many_cells', { count: width }) };
  return undefined;
}

/** The fields of the list and those that the import creates. */
export function withNewFields(fields: readonly Field[], columns: readonly Column[]): Field[] {
  const fresh = columns.filter(({ target, newField }) => newField && !fields.some((field) => field.tag === target));
  return [
    ...fields,
    ...fresh.map(({ target, newField }) => ({
      tag: target,
      mergeNo: -1,
      name: newField!.name,
      type: newField!.type as Field['type'],
      required: false,
      shown: true,
      position: 0,
      defaultValue: '',
      choices: [],
    })),
  ];
}

/** What is wrong with the cells of one column in these rows. */
export function problemsOf(
  column: Column,
  fields: readonly Field[],
  rules: Rules,
  rows: readonly (readonly string[])[],
): { value: string; reason: Message }[] {
  if (column.target === '') return [];
  const read = rowReader([column], fields, rules, new Date());
  return rows.flatMap((cells) => {
    const reading = read(cells);
    const problems = reading.ok ? reading.leftOut : [reading.problem];
    return problems.map(({ value, reason }) => ({ value, reason }));
  });
}

/** The text of a cell without the guard of a formula; '' for \N, as MySQL writes an empty value. */
export function textOfCell(cell: string): string {
  return cell === '\\N' ? '' : withoutGuards(cell.trim().normalize('NFC'));
}

/** Reads one cell into the row; returns what is wrong with it. */
type CellReader = (text: string, row: Row) => Message | undefined;

function cellReader(column: Column, fields: readonly Field[], rules: Rules, now: Date): CellReader {
  const { target } = column;
  const order = orderOf(column);
  switch (target) {
    case 'EMAIL':
      return (text, row) => {
        const address = readUntidyMailbox(text);
        if (!address.ok) return message('import.address', { problem: addressProblem(address.reason) });
        row.email = address.email;
        row.key = address.key;
        row.domain = address.domain;
        return undefined;
      };
    case 'EMAIL_TYPE':
      return word(emailTypes, message('import.email_type'), (row, value) => {
        row.emailType = value;
      });
    case 'STATUS':
      return (text, row) => {
        row.isBlankNo = text === '' && column.isBlankNo === true;
        const status = row.isBlankNo ? 'unsubscribed' : statusIn(column, text);
        if (text !== '' && !status) return message('import.status');
        if (status) setStatus(row, status);
        return undefined;
      };
    case 'UNSUBSCRIBED':
    case 'BOUNCED':
      return (text, row) => {
        if (isMark(text)) setStatus(row, target === 'BOUNCED' ? 'bounced' : 'unsubscribed');
        return undefined;
      };
    case 'LANGUAGE':
      return (text, row) => {
        if (text === '') return undefined;
        const language = languageOf(text);
        if (language === undefined) return message('import.language');
        row.language = language;
        return undefined;
      };
    case 'TIMEZONE':
      return (text, row) => {
        if (text !== '' && !isZone(text)) return message('import.time_zone');
        row.zone = text;
        return undefined;
      };
    case 'OPTINIP':
      return ipReader('optinIp');
    case 'CONFIRM_IP':
      return ipReader('confirmIp');
    case 'OPTINTIME':
      return orStatus(timeReader('optinAt', order, now));
    case 'CONFIRM_TIME':
      return orStatus(timeReader('confirmAt', order, now));
    case 'SIGNUP_TIME':
      return timeReader('signupAt', order, now);
    case 'UNSUBSCRIBE_TIME':
      return timeReader('unsubscribeAt', order, now);
    case 'UNSUBSCRIBE_REASON':
      return (text, row) => {
        if (text.length > maxReasonLength) return message('value.too_long', { count: maxReasonLength });
        row.unsubscribeReason = text;
        return undefined;
      };
    case 'TAGS':
      return readTags;
    default:
      return fieldReader(fields.find((field) => field.tag === target)!, column, rules);
  }
}

/** Where other rows have the time of a consent, a word that denies it is a status. */
const orStatus =
  (reader: CellReader): CellReader =>
  (text, row) => {
    const status = statusOf(text);
    if (!status || status === 'subscribed') return reader(text, row);
    setStatus(row, status);
    return undefined;
  };

/** As long as the reason that a contact can give on its page. */
const maxReasonLength = 1_000;

function ipReader(member: 'optinIp' | 'confirmIp'): CellReader {
  return (text, row) => {
    if (text !== '' && !isIp(text)) return message('import.ip');
    row[member] = text;
    return undefined;
  };
}

type TimeMember = 'optinAt' | 'confirmAt' | 'signupAt' | 'unsubscribeAt';

function timeReader(member: TimeMember, order: DateOrder | undefined, now: Date): CellReader {
  return (text, row) => {
    if (text === '' || isNoDate(text)) return undefined;
    const at = timeIn(text, order);
    if (at === undefined) return isUnclear(text) ? message('import.date_unclear') : message('import.time');
    if (isFuture(at, now)) return message('import.in_future');
    row[member] = at;
    return undefined;
  };
}

const orderOf = ({ order }: Column) => (order === 'unclear' ? undefined : order);

/** Whether a date could be read if the order of its column were known. */
const isUnclear = (text: string) => timeIn(text) === undefined && timeIn(text, 'day_first') !== undefined;

/** Of several columns that say something about it, the one that allows least counts. */
function setStatus(row: Row, status: ImportStatusWord): void {
  if (row.status === '' || strictness.indexOf(status) > strictness.indexOf(row.status)) row.status = status;
}

/** Tags between commas or semicolons, each of them with quotation marks or without, as Mailchimp writes them. */
function readTags(text: string, row: Row): Message | undefined {
  const tags = new Set<string>();
  let problem: Message | undefined;
  for (const part of text.split(/[,;]/)) {
    const tag = tagKey(part.trim().replace(/^"+|"+$/g, ''));
    if (tag === '') continue;
    if (!isTag(tag)) problem = message('import.tag', { value: tag.slice(0, 60), count: maxTagLength });
    else if (tags.size === maxTags) problem = message('import.too_many_tags', { count: maxTags });
    else tags.add(tag);
  }
  row.tags = [...tags].sort();
  return problem;
}

function fieldReader(field: Field, column: Column, rules: Rules): CellReader {
  const order = orderOf(column);
  const clears = rules.empty === 'clear';
  const isDate = field.type === 'date';
  return (text, row) => {
    if (text === '' || (isDate && isNoDate(text))) {
      if (clears) row.cleared.push(field.tag);
      return undefined;
    }
    if (field.type === 'text' && text.length <= 2_000) {
      row.values[field.tag] = text;
      return undefined;
    }
    const day = isDate ? dayIn(text, order) : undefined;
    if (isDate && day === undefined && dayIn(text, 'day_first') !== undefined && order === undefined)
      return message('import.date_unclear');
    const reading =
      isDate && day === undefined ? noDate(text) : readFieldText(field, day ?? asStored(field, text, column));
    if (!reading.ok) return reading.problem;
    row.values[field.tag] = reading.value;
    return undefined;
  };
}

/** A value in the form that its field takes, where another one is as clear. */
function asStored({ type }: Field, text: string, { hasCommas }: Column): string {
  if (type === 'number') return numberOf(text, hasCommas);
  return type === 'website' || type === 'image' ? websiteOf(text) : text;
}

const noDate = (text: string) =>
  ({ ok: false, problem: message('value.not_a_date', { value: text.slice(0, 40) }) }) as const;

function word<T extends string>(
  words: Record<string, T>,
  otherwise: Message,
  set: (row: Row, value: T) => void,
): CellReader {
  return (text, row) => {
    if (text === '') return undefined;
    const plain = text.toLowerCase().normalize('NFC');
    if (!Object.hasOwn(words, plain)) return otherwise;
    set(row, words[plain]!);
    return undefined;
  };
}

const emailTypes: Record<string, 'html' | 'text'> = {
  html: 'html',
  h: 'html',
  mobile: 'html',
  text: 'text',
  plain: 'text',
  'plain text': 'text',
  plaintext: 'text',
  t: 'text',
  // A column "HTML email".
  ...{ 1: 'html', yes: 'html', true: 'html', 0: 'text', no: 'text', false: 'text' },
};

const suspicious = /[\0\ufffd]/;

function textProblem(cell: string): Message {
  return message(cell.includes('\0') ? 'value.nul' : 'import.wrong_encoding');
}

const shown = (cell: string) => cell.replaceAll('\0', '\ufffd').slice(0, 200).toWellFormed();

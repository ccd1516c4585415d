// The plan of an import: the format of the file, the mapping of its columns, and the rules for contacts. Fixed before the
// dry run and stored with the import; the run and every resume use the same plan.

import type { z } from 'zod';
import { named } from '../../method/named.ts';
import { numbers } from '../../method/numbers.ts';
import type { DateOrder } from './file/dates.ts';

export const packings = ['none', 'gzip', 'zip', 'xlsx', 'vcard'] as const;

/** How the file is read. */
export type Format = {
  /** Addresses as an email program copies them, with their names as a second column; otherwise a table. */
  isAddresses?: true;
  packing: (typeof packings)[number];
  /** The names of the file and its sheets which say that contacts left. */
  names?: string[];
  /** The sheets of a workbook that are not read. */
  otherSheets?: string[];
  /** A label of the Encoding Standard. */
  encoding: string;
  /** The encoding was guessed from the letters, and others are nearly as likely. */
  encodingUnsure?: boolean;
  delimiter: string;
  /** '' when the file has no quoting. */
  quote: string;
  /** In quoted cells a backslash takes the next character as it is: \" and not "", as MySQL writes them. */
  backslash?: true;
  header: boolean;
  /** The first line says "sep=;", as spreadsheets write and read it. */
  separatorLine: boolean;
};

/** The targets of a column besides the merge fields of the list. */
export const builtInTargets = [
  'EMAIL',
  'EMAIL_TYPE',
  'STATUS',
  'UNSUBSCRIBED',
  'BOUNCED',
  'OPTINTIME',
  'OPTINIP',
  'CONFIRM_TIME',
  'CONFIRM_IP',
  'SIGNUP_TIME',
  'UNSUBSCRIBE_TIME',
  'UNSUBSCRIBE_REASON',
  'LANGUAGE',
  'TIMEZONE',
  'TAGS',
] as const;
export type BuiltInTarget = (typeof builtInTargets)[number];

/** Targets that hold a time of consent, of its confirmation, of the sign-up or of leaving. */
export const timeTargets: readonly string[] = ['OPTINTIME', 'CONFIRM_TIME', 'SIGNUP_TIME', 'UNSUBSCRIBE_TIME'];

/** Targets of columns that mark contacts who left, by a time, a yes or a reason; several columns can have them. */
export const leavingTargets: readonly string[] = ['UNSUBSCRIBED', 'BOUNCED'] satisfies BuiltInTarget[];

/** Targets that several columns can have: of what they say, that which allows least counts. */
export const repeatableTargets: readonly string[] = ['STATUS', ...leavingTargets];

export type Column = {
  /** From 0. */
  no: number;
  heading: string;
  /** A built-in target or the tag of a field; '' skips the column. */
  target: string;
  /** For a field that the import creates. */
  newField?: { name: string; type: string };
  /** A person or program has said what the column means; not set where the proposal stands. */
  decided?: true;
  /** Looks as if it says who may get email, and it is not decided: by its heading and first rows, or only by later ones. */
  asks?: 'sample' | 'file';
  /** For dates: whether 04/07 is a day in July; 'unclear' when neither the values nor a person have said so. */
  order?: DateOrder | 'unclear';
  /** For a status: what the codes of the program mean that has exported the file, in lower case. */
  codes?: Record<string, ImportStatusWord>;
  /** For a status: it says who agreed, so an empty cell is a no. */
  isBlankNo?: true;
  /** For numbers: decimals follow a comma, and a dot is of thousands. */
  hasCommas?: true;
  /** A person or program has chosen the order. */
  isOrderChosen?: true;
};

export const updateRules = ['add', 'add_update', 'update'] as const;
export const emptyRules = ['keep', 'clear'] as const;

export type Rules = {
  /** Which contacts are touched: those not on the list, those on it, or both. */
  update: (typeof updateRules)[number];
  /** Status of contacts when the file has none; '' = subscribed when new, unchanged when existing. */
  status: '' | ImportStatusWord;
  /** Whether an empty cell keeps or clears the value of an existing contact. */
  empty: (typeof emptyRules)[number];
  /** New subscribers must confirm by mail first. */
  doubleOptin: boolean;
  /** Why unsubscribed contacts may be subscribed again; '' = they may not. Stored as evidence. */
  resubscribe: string;
};

export const importStatusWords = ['subscribed', 'unsubscribed', 'pending', 'bounced'] as const;
export type ImportStatusWord = (typeof importStatusWords)[number];

export type Plan = {
  format: Format;
  columns: Column[];
  rules: Rules;
  /** Started by a caller with a set of lists: a new member takes no values of fields of the account from its other lists. */
  isOfSet?: true;
};

/** The outcome counts of a run or dry run. Each row of the file counts once, and so does each value that is left out. */
export const countMeaning = {
  rows: 'Rows looked at.',
  added: 'Contacts put on the list.',
  added_left: 'Among those added: contacts that have unsubscribed or bounced, as the file says.',
  updated: 'Members changed.',
  unchanged: 'Members that are already as the file has them.',
  invalid: 'Rows whose address or status cannot be used, or without a value that the list requires.',
  duplicate:
    'Rows whose address is also in an earlier row of the file, or in any row with the status unsubscribed or bounced.',
  suppressed: 'Rows left out because the address or its domain is suppressed.',
  left: 'Rows left out because the contact has unsubscribed or bounced and was not to be subscribed again.',
  known: 'Rows left out because the contact is on the list and the import only adds.',
  unknown: 'Rows left out because the contact is not on the list and the import only updates.',
  values_left_out: 'Values that do not fit what their column is imported as; the rest of their rows is imported.',
} as const;
const countNames = Object.keys(countMeaning) as (keyof typeof countMeaning)[];
export const counts = named('ImportCounts', numbers(countNames, countMeaning));
export type Counts = z.output<typeof counts>;

export const noCounts = (): Counts => addCounts({}, {});

export function addCounts(a: Partial<Counts>, b: Partial<Counts>): Counts {
  return Object.fromEntries(countNames.map((name) => [name, (a[name] ?? 0) + (b[name] ?? 0)])) as Counts;
}

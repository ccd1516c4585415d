// What is to be done with a file: how it is read, which column means what, and what happens to contacts that are
// known already. Settled before the dry run, stored with the import, the same for the run and for every continuation.

/** How the file is read. */
export type Format = {
  packing: 'none' | 'gzip' | 'zip';
  /** A label of the Encoding Standard. */
  encoding: string;
  delimiter: string;
  /** '' when the file has no quoting. */
  quote: string;
  header: boolean;
  /** The first line says "sep=;", as spreadsheets write and read it. */
  separatorLine: boolean;
};

/** What a column means besides a merge field of the list. */
export const builtInTargets = [
  'EMAIL',
  'EMAIL_TYPE',
  'STATUS',
  'OPTINTIME',
  'OPTINIP',
  'LANGUAGE',
  'TIMEZONE',
] as const;
export type BuiltInTarget = (typeof builtInTargets)[number];

export type Column = {
  /** From 0. */
  no: number;
  heading: string;
  /** A built-in target or the tag of a field; '' leaves the column out. */
  target: string;
  /** Given for a field that the import makes. */
  newField?: { name: string; type: string };
};

export type Rules = {
  /** Which contacts are touched: those not on the list, those on it, or both. */
  update: 'add' | 'add_update' | 'update';
  /** What contacts become when the file does not say; '' = subscribed when new, unchanged when known. */
  status: '' | ImportStatusWord;
  /** Whether an empty cell leaves a known contact's value alone or takes it away. */
  empty: 'keep' | 'clear';
  /** New subscribers are asked by mail first. */
  doubleOptin: boolean;
  /** Why contacts that had left may be subscribed again; '' = they may not. Kept as evidence. */
  resubscribe: string;
};

export const importStatusWords = ['subscribed', 'unsubscribed', 'pending', 'bounced'] as const;
export type ImportStatusWord = (typeof importStatusWords)[number];

export type Plan = { format: Format; columns: Column[]; rules: Rules };

/** What a run, or a dry run, comes to. Each row of the file counts once. */
export const countNames = [
  'rows',
  'added',
  'updated',
  'unchanged',
  'invalid',
  'duplicate',
  'suppressed',
  'left',
  'known',
  'unknown',
] as const;
export type Counts = Record<(typeof countNames)[number], number>;

export const countMeaning: Record<(typeof countNames)[number], string> = {
  rows: 'Rows looked at.',
  added: 'Contacts put on the list.',
  updated: 'Members changed.',
  unchanged: 'Members that are already as the file has them.',
  invalid: 'Rows with a value that cannot be used.',
  duplicate:
    'Rows whose address stands in an earlier row of the file, or in any row that says it has unsubscribed or bounced.',
  suppressed: 'Rows left out because the address or its domain is suppressed.',
  left: 'Rows left out because the contact has unsubscribed or bounced and was not to be subscribed again.',
  known: 'Rows left out because the contact is on the list and the import only adds.',
  unknown: 'Rows left out because the contact is not on the list and the import only updates.',
};

export function noCounts(): Counts {
  return Object.fromEntries(countNames.map((name) => [name, 0])) as Counts;
}

export function addCounts(a: Partial<Counts>, b: Partial<Counts>): Counts {
  return Object.fromEntries(countNames.map((name) => [name, (a[name] ?? 0) + (b[name] ?? 0)])) as Counts;
}

// What a DKIM signature covers of a head: which fields, how its `h=` names them, and their relaxed form (RFC 6376 3.4.2).
// Guarantees that everything a receiver shows or acts upon is covered, and that a second From or Subject breaks the
// signature. A head that is not well-formed is refused: the code that made it has a bug.

export type Covered = {
  /** The fields in relaxed form, joined, in the order of `h=`; bytes as Latin-1. */
  fields: string;
  /** The value of `h=` as it is sent, in lines of at most 75 characters, and in relaxed form. */
  folded: string;
  relaxed: string;
};

// What a receiver shows, threads, or acts upon. Feedback-ID: Gmail's feedback loop counts it only when it is signed.
// List-Unsubscribe-Post: RFC 8058 4 demands a signature over it.
const signedFields = [
  'From',
  'Sender',
  'Reply-To',
  'To',
  'Cc',
  'Subject',
  'Date',
  'Message-ID',
  'MIME-Version',
  'Content-Type',
  'Content-Transfer-Encoding',
  'List-Id',
  'List-Unsubscribe',
  'List-Unsubscribe-Post',
  'Feedback-ID',
];

// Listed once more than they occur, also when they do not occur: one added later breaks the signature (RFC 6376 8.15), so that
// a signed message cannot be sent on under another subject. Cc and Sender are not: list servers add them.
const sealedFields = new Set(['From', 'Reply-To', 'To', 'Subject']);
// Likewise, if they occur: relays add these where they are missing.
const sealedIfPresent = new Set([
  'Date',
  'Message-ID',
  'MIME-Version',
  'Content-Type',
  'Content-Transfer-Encoding',
  'List-Unsubscribe',
  'List-Unsubscribe-Post',
]);

/** As if every signed field occurred once: no head with fewer fields has a longer `h=`. Its fields are left out. */
export const allCovered: Covered = { fields: '', ...namesOf(signedFields.map(() => 1)) };

/** @param head may end with the empty line or without it */
export function coveredBy(head: Buffer): Covered {
  const text = head.toString('latin1');
  const end = text.endsWith('\r\n\r\n') ? text.length - 2 : text.length;
  const counts = signedFields.map(() => 0);
  const relaxed = signedFields.map(() => '');
  for (let at = 0; at === 0 || at < end; ) {
    const next = endOfField(text, at, end);
    const colon = text.indexOf(':', at);
    const number = numberOf(colon < 0 || colon > next ? '' : text.slice(at, colon));
    if (number >= 0) {
      counts[number]! += 1;
      // Of several fields of a name the lowest comes first. RFC 6376 5.4.2
      relaxed[number] = `${lowerNames[number]}:${relaxedValue(text, colon + 1, next)}\r\n${relaxed[number]}`;
    }
    at = next + 2;
  }
  if (counts[0] === 0) throw new Error('a head without From cannot be signed');
  return { fields: relaxed.join(''), ...knownNames(counts) };
}

const lowerNames = signedFields.map((name) => name.toLowerCase());

/** Where the line end of the field at `at` is, with the lines that continue it. A missing one at the end is forgiven. */
function endOfField(text: string, at: number, end: number): number {
  for (let from = at; ; ) {
    const lf = text.indexOf('\n', from);
    const cr = text.indexOf('\r', from);
    if ((lf < 0 || lf >= end) && (cr < 0 || cr >= end)) return end;
    if (lf !== cr + 1 || lf >= end) throw new Error('a head with a bare CR or LF cannot be signed');
    from = lf + 1;
    const next = text.charCodeAt(from);
    if (from >= end || (next !== 32 && next !== 9)) return cr;
  }
}

const numberOfName = new Map<string, number>();
/** More than any sender uses. */
const maxNames = 500;

/** The place of a field's name among the signed ones, −1 for another one. */
function numberOf(name: string): number {
  const known = numberOfName.get(name);
  if (known !== undefined) return known;
  // RFC 5322 2.2 allows no space before the colon. The obsolete syntax does, but verifiers treat it differently.
  if (!/^[!-9;-~]+$/.test(name)) throw new Error('a head with a line that is no field cannot be signed');
  const number = lowerNames.indexOf(name.toLowerCase());
  if (numberOfName.size < maxNames) numberOfName.set(name, number);
  return number;
}

/** Not trim(): as Latin-1, the second byte of an à is a no-break space. */
function relaxedValue(text: string, from: number, to: number): string {
  const value = text.charCodeAt(from) === 32 ? text.slice(from + 1, to) : text.slice(from, to);
  // Most values are in relaxed form.
  if (!/[\t\r]| {2}|^ | $/.test(value)) return value;
  return value
    .replace(/\r\n/g, '')
    .replace(/[ \t]+/g, ' ')
    .replace(/^ | $/g, '');
}

const namesByCounts = new Map<string, Omit<Covered, 'fields'>>();
/** One for each kind of message. */
const maxKinds = 100;

function knownNames(counts: readonly number[]): Omit<Covered, 'fields'> {
  const key = counts.join();
  const known = namesByCounts.get(key);
  if (known) return known;
  const names = namesOf(counts);
  if (namesByCounts.size < maxKinds) namesByCounts.set(key, names);
  return names;
}

/** @param counts how often each signed field occurs */
function namesOf(counts: readonly number[]): Omit<Covered, 'fields'> {
  const names = signedFields.flatMap((name, i) => {
    const isSealed = sealedFields.has(name) || (counts[i]! > 0 && sealedIfPresent.has(name));
    return Array.from({ length: counts[i]! + (isSealed ? 1 : 0) }, () => name);
  });
  const folded = foldedNames(names);
  return { folded, relaxed: folded.replaceAll('\r\n  ', ' ') };
}

/** `From:To:…` in lines of at most 75 characters. */
function foldedNames(names: readonly string[]): string {
  let text = '';
  let column = ' h='.length;
  for (const [index, name] of names.entries()) {
    const part = index === names.length - 1 ? name : `${name}:`;
    if (column + part.length > 75) {
      text += '\r\n  ';
      column = 2;
    }
    text += part;
    column += part.length;
  }
  return text;
}

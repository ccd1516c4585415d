// Recognizes a relay that gives all recipients the same refusal, whatever its wording: it means us, not them. Pure.

/** So many refusals without an acceptance in between, at so many domains, are about us. */
export const sameReplyRules = { row: 20, domains: 3, wordings: 2 } as const;

/** A refusal without what differs from message to message: addresses, domains, numbers, ids and times. */
export function signatureOf(code: number, text: string, email: string): string {
  const at = email.lastIndexOf('@');
  const [local, domain] = [email.slice(0, at).toLowerCase(), email.slice(at + 1).toLowerCase()];
  const words = withoutName(text.replace(/\S*@\S*/g, ' '), local)
    // Ids of letters and digits, also those that mix capitals and small letters without a word's shape.
    .replace(/(?<![\p{L}\d])(?=[\p{L}\d_-]*\d)[\p{L}\d_-]{4,}(?![\p{L}\d])/gu, ' ')
    .replace(/\b(?=\w*[a-z][A-Z]\w*[a-z][A-Z]|[A-Z]{10,}\b)\w{8,}\b/g, ' ')
    .toLowerCase()
    .replace(/[\p{L}\d-]+(\.[\p{L}\d-]+)+\.?/gu, ' ')
    .split(/[^\p{L}]+/u)
    .filter((word) => word !== '' && word !== local && word !== domain && !isMonthOrDay.test(word));
  return `${code} ${words.join(' ')}`.slice(0, 200).trim();
}

/** Also a local part with marks in it, which stands between words that would otherwise differ from message to message. */
function withoutName(text: string, local: string): string {
  const at = local.length < 3 ? -1 : text.toLowerCase().indexOf(local);
  return at < 0 ? text : `${text.slice(0, at)} ${withoutName(text.slice(at + local.length), local)}`;
}

const isMonthOrDay =
  /^(mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|gmt|utc|am|pm|[a-f]{1,3})$/;

export type Wording = { signature: string; count: number; domains: number };

/** @returns the replies that are about us; none when they may be about the recipients */
export function repliesAboutUs(wordings: readonly Wording[], row: number = sameReplyRules.row): string[] {
  const common = wordings
    .filter(({ domains }) => domains >= sameReplyRules.domains)
    .sort((a, b) => b.count - a.count)
    .slice(0, sameReplyRules.wordings);
  const sum = common.reduce((total, { count }) => total + count, 0);
  return sum >= row ? common.map(({ signature }) => signature) : [];
}

/** Counts the refusals that one worker sees, of a campaign or of a relay, since the last acceptance. */
export class SameReplies {
  readonly #seen = new Map<string, { count: number; domains: Set<string> }>();

  accepted(): void {
    if (this.#seen.size > 0) this.#seen.clear();
  }

  /** @returns the replies that are about us; none when they may be about the recipients */
  refused(signature: string, email: string): string[] {
    const seen = this.#seen.get(signature) ?? { count: 0, domains: new Set() };
    if (this.#seen.size < 100) this.#seen.set(signature, seen);
    seen.count += 1;
    if (seen.domains.size < sameReplyRules.domains) seen.domains.add(email.slice(email.lastIndexOf('@') + 1));
    const wordings = [...this.#seen].map(([name, { count, domains }]) => ({
      signature: name,
      count,
      domains: domains.size,
    }));
    const about = repliesAboutUs(wordings);
    // After that it counts from the beginning.
    if (about.length > 0) this.#seen.clear();
    return about;
  }
}

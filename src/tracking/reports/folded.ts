// The sums of recipients of autoresponders and of emails of automations that were deleted by age. Reports add them to the sums of
// the recipients there are. Numbers of messages stay exactly the same; a person with messages on both sides counts on both.
import { type Queries, sql, type Tx } from '../../db/connect.ts';
import { jsonb } from '../../db/jsonb.ts';
import type { CampaignKey } from '../../db/keys.ts';

/** What deleted recipients of one kind add to a report: numbers by name; times as text, of which the latest counts. */
export type Numbers = Record<string, number | string | null>;

/** By part of the report, and by what the part lists: a class of bounces, a link, a domain, a language, a revision. */
export type Folded = {
  bounces: Record<string, Numbers>;
  /** One entry, `all`. */
  stats: Record<string, Numbers>;
  links: Record<string, Numbers>;
  domains: Record<string, Numbers>;
  languages: Record<string, Numbers>;
  revisions: Record<string, Numbers>;
};

/** Domains that are kept by name; all others share one entry, "". */
const maxDomains = 500;

/** Adds numbers, and takes the later of two times. */
export function addNumbers(a: Numbers, b: Numbers): Numbers {
  const sum = { ...a };
  for (const [name, value] of Object.entries(b)) {
    const before = sum[name] ?? null;
    if (typeof value === 'number') sum[name] = Number(before ?? 0) + value;
    else if (value !== null && (before === null || Date.parse(value) > Date.parse(String(before)))) sum[name] = value;
    else sum[name] = before;
  }
  return sum;
}

/** Adds sums to those that are folded already, in the transaction that deletes the recipients. */
export async function addFolded(tx: Tx, { account, campaign }: CampaignKey, more: Folded): Promise<void> {
  const row = await tx.row<{ sums: Partial<Folded> }>(sql`
    select sums from folded_report where account_id = ${account} and campaign_id = ${campaign} for update`);
  const sums: Record<string, Record<string, Numbers>> = { ...row?.sums };
  for (const [part, entries] of Object.entries(more)) {
    const merged = { ...sums[part] };
    for (const [name, numbers] of Object.entries(entries)) merged[name] = addNumbers(merged[name] ?? {}, numbers);
    sums[part] = part === 'domains' ? largest(merged) : merged;
  }
  await tx.run(sql`
    insert into folded_report (account_id, campaign_id, sums)
    values (${account}, ${campaign}, ${jsonb(sums)})
    on conflict (account_id, campaign_id) do update set sums = excluded.sums`);
}

function largest(domains: Record<string, Numbers>): Record<string, Numbers> {
  const { '': rest = {}, ...named } = domains;
  const sorted = Object.entries(named).sort(([, a], [, b]) => Number(b['emails']) - Number(a['emails']));
  const others = sorted.slice(maxDomains).reduce((sum, [, numbers]) => addNumbers(sum, numbers), rest);
  return Object.fromEntries([
    ...sorted.slice(0, maxDomains),
    ...(Object.keys(others).length > 0 ? [['', others] as const] : []),
  ]);
}

/** One part of the folded sums; {} where nothing is folded. */
export async function foldedPart(
  db: Queries,
  { account, campaign }: CampaignKey,
  part: keyof Folded,
): Promise<Record<string, Numbers>> {
  const row = await db.row<{ part: Record<string, Numbers> | null }>(sql`
    select sums -> ${part}::text as part
    from folded_report
    where account_id = ${account}
      and campaign_id = ${campaign}`);
  return row?.part ?? {};
}

/** Rows of a report with what is folded added to them. @param name of a row, as in the folded part */
export function withFolded<T extends object>(
  rows: readonly T[],
  folded: Record<string, Numbers>,
  name: (row: T, at: number) => string,
): T[] {
  return rows.map((row, at) => {
    const numbers = folded[name(row, at)];
    return numbers ? ({ ...row, ...addNumbers(numbersOf(row, numbers), numbers) } as T) : row;
  });
}

const numbersOf = (row: object, like: Numbers): Numbers =>
  Object.fromEntries(Object.keys(like).map((name) => [name, (row as Numbers)[name] ?? null]));

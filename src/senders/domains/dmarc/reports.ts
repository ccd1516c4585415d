// DMARC aggregate reports of sender domains: storing what a report states, and the view by source. A report is counted once per
// domain, by its reporter, id and day. Reports are not authenticated, so nothing but the view depends on them, and the rows of
// a domain are limited.
import type { App, Context } from '../../../base/context.ts';
import { readDomain } from '../../../base/domain-name.ts';
import { fault } from '../../../base/faults.ts';
import { sql, type Tx } from '../../../db/connect.ts';
import { reportAddress } from './address.ts';
import type { DmarcReport, DmarcRow } from './read-report.ts';

const keptDays = 90;
/** Of one domain. With as many, further reports are not counted until old ones are removed. */
const maxRows = { reports: 20_000, sources: 50_000 };
const maxShown = 500;

export type Stored = 'stored' | 'stored before' | 'no domain' | 'wrong date' | 'full' | 'unreadable';

/** Stores a report for each account whose domain it is about. */
export async function storeReport({ db }: Pick<App, 'db'>, report: DmarcReport): Promise<Stored> {
  const ageDays = (Date.now() - report.beginAt.getTime()) / 86_400_000;
  if (ageDays > keptDays || ageDays < -2) return 'wrong date';
  if (report.rows.length === 0 && report.unreadable > 0) return 'unreadable';
  const fromDomains = new Set(report.rows.map((row) => row.fromDomain));
  const candidates = new Set([...fromDomains].flatMap((domain) => withParents(domain)));
  return db.transaction(async (tx) => {
    const proven = await tx.rows<OwnDomain>(sql`
      select account_id as "accountId", id, domain
      from sender_domain
      where domain = any (${[...candidates]}::text[])
        and (active or broken_at is not null)
      order by account_id, id
      for update`);
    // The policy is that of the domain, of one above it, or of a subdomain.
    const domains = proven.filter(({ domain }) => isRelated(domain, report.policyDomain));
    const outcomes = new Set<Stored>();
    for (const domain of domains) {
      const others = domains.filter((other) => other.accountId === domain.accountId).map((other) => other.domain);
      const rows = report.rows.filter((row) => nearest(row.fromDomain, others) === domain.domain);
      if (rows.length > 0) outcomes.add(await storeFor(tx, domain, report, rows));
    }
    if (outcomes.size === 0) return 'no domain';
    return (['stored', 'stored before', 'full'] as const).find((outcome) => outcomes.has(outcome))!;
  });
}

type OwnDomain = { accountId: number; id: number; domain: string };

async function storeFor(
  tx: Tx,
  { accountId, id }: OwnDomain,
  { reporter, reportId, beginAt }: DmarcReport,
  rows: readonly DmarcRow[],
): Promise<Stored> {
  for (const table of [sql`dmarc_report`, sql`dmarc_source`])
    await tx.run(sql`
      delete from ${table}
      where account_id = ${accountId}
        and domain_id = ${id}
        and day < current_date - ${keptDays}::int`);
  const kept = await tx.row<{ reports: number; sources: number }>(sql`
    select
      (select count(*)::int from dmarc_report where account_id = ${accountId} and domain_id = ${id}) as reports,
      (select count(*)::int from dmarc_source where account_id = ${accountId} and domain_id = ${id}) as sources`);
  if (kept!.reports >= maxRows.reports || kept!.sources + rows.length > maxRows.sources) return 'full';
  const isNew = await tx.run(sql`
    insert into dmarc_report (account_id, domain_id, reporter, report_id, day)
    values (${accountId}, ${id}, ${reporter}, ${reportId}, ${beginAt}::timestamptz at time zone 'UTC')
    on conflict do nothing`);
  if (isNew === 0) return 'stored before';
  await tx.run(sql`
    insert into dmarc_source (account_id, domain_id, day, source, reporter, messages, passed, dkim, spf)
    select ${accountId}, ${id}, (${beginAt}::timestamptz at time zone 'UTC')::date, r.source, ${reporter},
      sum(r.messages), sum(r.passed), sum(r.dkim), sum(r.spf)
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as r (source inet, messages bigint, passed bigint, dkim bigint, spf bigint)
    group by r.source
    on conflict (account_id, domain_id, day, source, reporter) do update
    set messages = dmarc_source.messages + excluded.messages, passed = dmarc_source.passed + excluded.passed,
      dkim = dmarc_source.dkim + excluded.dkim, spf = dmarc_source.spf + excluded.spf`);
  return 'stored';
}

/** What reports state about a domain, by source, those with the most messages first. @throws Fault DOMAIN_UNKNOWN */
export async function domainReports({ app, tx, account }: Context, given: { domain: string; days: number }) {
  const name = readDomain(given.domain);
  const domain = await tx.row<{ id: number }>(sql`
    select id
    from sender_domain
    where account_id = ${account.id}
      and domain = ${name ?? ''}`);
  if (!domain) throw fault('DOMAIN_UNKNOWN', 'domain.unknown', { member: 'domain', value: given.domain.slice(0, 80) });
  const since = sql`
    account_id = ${account.id}
    and domain_id = ${domain.id}
    and day > current_date - ${given.days}::int`;
  const totals = await tx.row<{ reports: number; sources: number; messages: number; passed: number }>(sql`
    select
      (select count(*)::int from dmarc_report where ${since}) as reports,
      count(distinct source)::int as sources, coalesce(sum(messages), 0)::float8 as messages,
      coalesce(sum(passed), 0)::float8 as passed
    from dmarc_source
    where ${since}`);
  const sources = await tx.rows<SourceRow>(sql`
    select host(source) as source, sum(messages)::float8 as messages, sum(passed)::float8 as passed,
      sum(dkim)::float8 as dkim, sum(spf)::float8 as spf, to_char(max(day), 'YYYY-MM-DD') as last_day,
      (array_agg(distinct reporter))[:20] as reporters
    from dmarc_source
    where ${since}
    group by source
    order by sum(messages) desc, source
    limit ${maxShown}`);
  const { reports, messages, passed } = totals!;
  const isOwn = new Set(app.config.sendingAddresses);
  return {
    address: reportAddress(app.config),
    reports,
    messages,
    passed,
    failed: messages - passed,
    source_count: totals!.sources,
    sources: sources.map((row) => ({ ...row, failed: row.messages - row.passed, own: isOwn.has(row.source) })),
  };
}

type SourceRow = {
  source: string;
  messages: number;
  passed: number;
  dkim: number;
  spf: number;
  last_day: string;
  reporters: string[];
};

const isRelated = (first: string, second: string) =>
  first === second || first.endsWith(`.${second}`) || second.endsWith(`.${first}`);

/** A domain and those above it, without the top level. */
function withParents(domain: string): string[] {
  const labels = domain.split('.');
  return labels.slice(0, -1).map((_, skip) => labels.slice(skip).join('.'));
}

/** The longest of the domains that a From domain is or is below of. */
function nearest(fromDomain: string, domains: readonly string[]): string | undefined {
  return withParents(fromDomain).find((candidate) => domains.includes(candidate));
}

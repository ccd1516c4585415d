// webhookStats: how the requests of a webhook went in the last 24 hours.
import type { Context } from '../../base/context.ts';
import { sql } from '../../db/connect.ts';
import { formatDate } from '../../method/date.ts';
import { needWebhook } from '../webhook.ts';

export const statsHours = 24;
/** The latest ones: a busy webhook has many more in a day, which say the same. */
export const maxStatsAttempts = 10_000;

type Row = { hour: number; delivered: number; failed: number };

/** Test events do not count. @throws Fault WEBHOOK_UNKNOWN */
export async function showWebhookStats(context: Context, { wid }: { wid: string }) {
  const { tx, account, now } = context;
  const { id } = await needWebhook(context, wid);
  const end = Math.floor(now.getTime() / 3_600_000);
  const recent = sql`(
    select at, outcome, ms
    from webhook_attempt
    where account_id = ${account.id}
      and webhook_id = ${id}
      and kind = 'delivery'
      and at > ${new Date((end - statsHours + 1) * 3_600_000)}
      and outcome <> 'in_progress'
    order by id desc
    limit ${maxStatsAttempts}
  ) as recent`;
  const times = (await tx.row<{ p50: number | null; p95: number | null }>(sql`
    select percentile_disc(0.5) within group (order by ms) as p50, percentile_disc(0.95) within group (order by ms) as p95
    from ${recent}
    where ms is not null`))!;
  const rows = await tx.rows<Row>(sql`
    select floor(extract(epoch from at) / 3600)::int as hour, count(*) filter (where outcome = 'delivered')::int as delivered,
      count(*) filter (where outcome <> 'delivered')::int as failed
    from ${recent}
    group by 1`);
  const byHour = new Map(rows.map((row) => [row.hour, row]));
  return {
    attempts: rows.reduce((sum, { delivered, failed }) => sum + delivered + failed, 0),
    delivered: rows.reduce((sum, { delivered }) => sum + delivered, 0),
    p50_ms: times.p50 ?? 0,
    p95_ms: times.p95 ?? 0,
    hours: Array.from({ length: statsHours }, (_, i) => {
      const hour = end - statsHours + 1 + i;
      const { delivered = 0, failed = 0 } = byHour.get(hour) ?? {};
      return { time: formatDate(new Date(hour * 3_600_000)), delivered, failed };
    }),
  };
}

// campaignTimeline: opens and clicks of a campaign per hour or per day of the account, people and machines separately.
// Guarantees a row for every step, also for steps without hits, so that a chart needs no filling in.

import { startOf } from '../../audience/segments/days.ts';
import { plusDays } from '../../base/calendar.ts';
import type { Context } from '../../base/context.ts';
import { wallOf } from '../../base/zones.ts';
import { needCampaignId } from '../../campaigns/model/campaign.ts';
import { sql } from '../../db/connect.ts';
import { formatDate } from '../../method/date.ts';
import { maxHourlyHours } from './hourly.ts';

export const maxHours = 8_760;

/** @throws Fault CAMPAIGN_UNKNOWN */
export async function showTimeline(context: Context, { cid, hours }: { cid: string; hours: number }) {
  const { tx, account, now } = context;
  const campaignId = await needCampaignId(context, cid);
  const campaign = await tx.row<{ type: string; sendAt: Date | null }>(sql`
    select type, send_at as "sendAt"
    from campaign
    where account_id = ${account.id}
      and id = ${campaignId}`);
  const stepHours = hours > maxHourlyHours ? 24 : 1;
  if (!campaign?.sendAt) return { step_hours: stepHours, data: [] };
  const stepMs = stepHours * 3_600_000;
  const spanMs = hours * 3_600_000;
  const earliest = campaign.sendAt.getTime();
  const from = campaign.type === 'auto' ? Math.max(earliest, now.getTime() - spanMs) : earliest;
  const startMs =
    stepHours === 1
      ? Math.floor(from / stepMs) * stepMs
      : startOf(wallOf(new Date(from), account.timeZone), account.timeZone).getTime();
  const until = Math.min(startMs + spanMs, now.getTime() + 1);
  const starts = startsOf(startMs, until, stepHours, account.timeZone);
  const rows = await tx.rows<{ step: number } & Counts>(sql`
    select width_bucket(at, ${starts}::timestamptz[]) - 1 as step,
      count(*) filter (where kind = 'open' and machine is null)::int as opens,
      count(*) filter (where kind = 'click' and machine is null)::int as clicks,
      count(*) filter (where kind = 'open' and machine is not null)::int as machine_opens,
      count(*) filter (where kind = 'click' and machine is not null)::int as machine_clicks
    from hit
    where account_id = ${account.id}
      and campaign_id = ${campaignId}
      and at >= ${new Date(startMs)}
      and at < ${new Date(until)}
    group by 1`);
  const byStep = new Map(rows.map(({ step, ...counts }) => [step, counts]));
  const data = starts.map((start, step) => ({ time: formatDate(start), ...(byStep.get(step) ?? nothing) }));
  return { step_hours: stepHours, data };
}

/** The starts of the hours, or of the days of the account, of which some have 23 or 25 hours. */
function startsOf(startMs: number, untilMs: number, stepHours: number, zone: string): Date[] {
  const starts: Date[] = [];
  const firstDay = wallOf(new Date(startMs), zone);
  for (let step = 0; ; step++) {
    const start = stepHours === 1 ? new Date(startMs + step * 3_600_000) : startOf(plusDays(firstDay, step), zone);
    if (start.getTime() >= untilMs) return starts;
    starts.push(start);
  }
}

type Counts = { opens: number; clicks: number; machine_opens: number; machine_clicks: number };
const nothing: Counts = { opens: 0, clicks: 0, machine_opens: 0, machine_clicks: 0 };

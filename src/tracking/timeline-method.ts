// When a campaign was opened and clicked: hits in steps of equal length, people and machines apart, for plots.
// Promises a row for every step, also for those in which nothing happened, so that a plot needs no filling in.
import { z } from 'zod';
import { needCampaignId } from '../campaigns/campaign.ts';
import { sql } from '../db/connect.ts';
import { formatDate } from '../method/date.ts';
import { method } from '../method/method.ts';
import { id, params, whole } from '../method/params.ts';

/** Up to a fortnight an hour a step, then a day: about 370 rows at most. */
const maxHourlyHours = 336;
const maxHours = 8_760;

export const timelineMethod = method({
  name: 'campaignTimeline',
  group: 'reports',
  summary: 'Returns the openings and clicks of a campaign hour by hour, or day by day for more than 336 hours.',
  description:
    'A campaign is counted from the hour it began to be sent; an autoresponder, which goes on, up to this hour. The hours to come are left out. opens are pictures loaded and clicks are links followed, each time they were; the machine_ members are those of scanners, proxies and other programs.',
  params: params({
    cid: id('The campaign.'),
    hours: whole('How many hours, 1 to 8760.', 1, maxHours, { fault: 'LIMIT_OUT_OF_RANGE' }).default(72),
  }),
  returns: z.object({
    step_hours: z.int().meta({ description: '1 or 24.' }),
    data: z.array(
      z.object({
        time: z.string().meta({ description: 'Start of the step, GMT.' }),
        opens: z.int(),
        clicks: z.int(),
        machine_opens: z.int(),
        machine_clicks: z.int(),
      }),
    ),
  }),
  faults: ['CAMPAIGN_UNKNOWN', 'LIMIT_OUT_OF_RANGE'],
  scope: 'read',
  reads: true,
  example: { params: { cid: '{{campaign}}', hours: 24 } },
  async run(context, given) {
    const { tx, account, now } = context;
    const campaignId = await needCampaignId(context, given.cid);
    const campaign = await tx.row<{ type: string; sendAt: Date | null }>(sql`
      select type, send_at as "sendAt"
      from campaign
      where account_id = ${account.id}
        and id = ${campaignId}`);
    const stepHours = given.hours > maxHourlyHours ? 24 : 1;
    if (!campaign?.sendAt) return { step_hours: stepHours, data: [] };
    const stepMs = stepHours * 3_600_000;
    const spanMs = given.hours * 3_600_000;
    const earliest = campaign.sendAt.getTime();
    const from = campaign.type === 'auto' ? Math.max(earliest, now.getTime() - spanMs) : earliest;
    const startMs = Math.floor(from / stepMs) * stepMs;
    const until = Math.min(startMs + spanMs, now.getTime() + 1);
    const rows = await tx.rows<{ step: number } & Counts>(sql`
      select floor((extract(epoch from at) * 1000 - ${startMs}::float8) / ${stepMs}::float8)::int as step,
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
    const data = Array.from({ length: Math.max(0, Math.ceil((until - startMs) / stepMs)) }, (_, step) => ({
      time: formatDate(new Date(startMs + step * stepMs)),
      ...(byStep.get(step) ?? nothing),
    }));
    return { step_hours: stepHours, data };
  },
});

type Counts = { opens: number; clicks: number; machine_opens: number; machine_clicks: number };
const nothing: Counts = { opens: 0, clicks: 0, machine_opens: 0, machine_clicks: 0 };

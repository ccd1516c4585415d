// The methods that report what became of a campaign: figures, links, who opened, who did not, who was refused, who left.
// Plain figures are people's; machines' (scanners, prefetch, privacy proxies) stand beside them.
import { z } from 'zod';
import { paging } from '../audience/lists/methods.ts';
import type { Context } from '../base/context.ts';
import { Fault } from '../base/faults.ts';
import { needCampaignId } from '../campaigns/campaign.ts';
import { formatId } from '../db/ids.ts';
import { formatDate } from '../method/date.ts';
import { method } from '../method/method.ts';
import { id, params, text } from '../method/params.ts';
import {
  acceptedCount,
  bounceCounts,
  bounced,
  complaintCount,
  domainSums,
  engagementSums,
  leavers,
  linkFollowers,
  linkSums,
  nonOpeners,
  openers,
  uniqueClicks,
} from './reports.ts';

const cid = id('The campaign.');
const pages = paging(1_000, 15_000);
/** Domains named by campaignEmailDomainPerformance; the others are summed up. */
const maxDomains = 50;

const list = <T extends z.ZodRawShape>(shape: T) => z.object({ total: z.int(), data: z.array(z.object(shape)) });
const opener = { email: z.string(), opens: z.int(), clicks: z.int(), last_open: z.string(), machine_opens: z.int() };
const bounce = { email: z.string(), code: z.int(), message: z.string(), timestamp: z.string() };
const pagedFaults = ['CAMPAIGN_UNKNOWN', 'LIMIT_OUT_OF_RANGE', 'START_OUT_OF_RANGE'] as const;

export const reportMethods = [
  method({
    name: 'campaignStats',
    group: 'reports',
    summary: 'Returns the figures of a campaign: bounces, unsubscribes, openings, clicks, mails sent.',
    description:
      'The plain figures are those of people; what a scanner, a prefetching proxy or another program did stands in the machine_ members. A click counts as an opening too, since many mail programs show no pictures. unique_opens and users_who_clicked count contacts, unique_clicks pairs of a contact and a link. complaints counts recipients whose provider told that they call the mail spam; they are unsubscribed and suppressed. There is no form to forward a mail to a friend, so forwards is always 0. Times are GMT, "" when it has not happened.',
    params: params({ cid }),
    returns: z.object({
      hard_bounces: z.int(),
      soft_bounces: z.int(),
      blocked_bounces: z.int(),
      temporary_bounces: z.int(),
      generic_bounces: z.int(),
      unsubscribes: z.int(),
      complaints: z.int(),
      forwards: z.int(),
      opens: z.int(),
      last_open: z.string(),
      unique_opens: z.int(),
      clicks: z.int(),
      unique_clicks: z.int(),
      last_click: z.string(),
      users_who_clicked: z.int(),
      emails_sent: z.int(),
      machine_opens: z.int(),
      unique_machine_opens: z.int(),
      machine_clicks: z.int(),
      unique_machine_clicks: z.int(),
      users_with_machine_clicks: z.int(),
    }),
    faults: ['CAMPAIGN_UNKNOWN'],
    scope: 'read',
    reads: true,
    example: { params: { cid: '{{campaign}}' } },
    async run(context, given) {
      const of = await campaignOf(context, given.cid);
      const { tx } = context;
      const bounces = new Map((await bounceCounts(tx, of)).map((one) => [one.reason, one.count]));
      const sums = await engagementSums(tx, of);
      const pairs = await uniqueClicks(tx, of);
      const named = ['hard', 'soft', 'blocked', 'temporary'];
      const others = [...bounces].filter(([reason]) => !named.includes(reason));
      return {
        hard_bounces: bounces.get('hard') ?? 0,
        soft_bounces: bounces.get('soft') ?? 0,
        blocked_bounces: bounces.get('blocked') ?? 0,
        temporary_bounces: bounces.get('temporary') ?? 0,
        generic_bounces: others.reduce((sum, [, count]) => sum + count, 0),
        unsubscribes: (await leavers(tx, of, { start: 0, limit: 1 })).total,
        complaints: await complaintCount(tx, of),
        forwards: 0,
        opens: sums.opens,
        last_open: formatDate(sums.lastOpenAt),
        unique_opens: sums.uniqueOpens,
        clicks: sums.clicks,
        unique_clicks: pairs.people,
        last_click: formatDate(sums.lastClickAt),
        users_who_clicked: sums.usersWhoClicked,
        emails_sent: await acceptedCount(tx, of),
        machine_opens: sums.machineOpens,
        unique_machine_opens: sums.uniqueMachineOpens,
        machine_clicks: sums.machineClicks,
        unique_machine_clicks: pairs.machines,
        users_with_machine_clicks: sums.usersOfMachineClicks,
      };
    },
  }),
  method({
    name: 'campaignClickStats',
    group: 'reports',
    summary: 'Returns every tracked link of a campaign with its clicks, in the order of the mail.',
    description:
      'url is the address as the author wrote it; merge tags in it were filled for each contact. unique counts the contacts who followed the link.',
    params: params({ cid }),
    returns: z.array(
      z.object({ id: z.string(), url: z.string(), clicks: z.int(), unique: z.int(), machine_clicks: z.int() }),
    ),
    faults: ['CAMPAIGN_UNKNOWN'],
    scope: 'read',
    reads: true,
    example: { params: { cid: '{{campaign}}' } },
    async run(context, given) {
      const links = await linkSums(context.tx, await campaignOf(context, given.cid));
      return links.map((link) => ({
        id: linkId(link.no),
        url: link.url,
        clicks: link.clicks,
        unique: link.people,
        machine_clicks: link.machineClicks,
      }));
    },
  }),
  method({
    name: 'campaignClickStatsDetails',
    group: 'reports',
    summary: 'Returns who followed a link of a campaign, and how often.',
    params: params({ cid, link_id: text('Id of the link, from campaignClickStats.', 20), ...pages }),
    returns: list({ email: z.string(), clicks: z.int(), machine_clicks: z.int() }),
    faults: [...pagedFaults, 'CAMPAIGN_OPTION_INVALID'],
    scope: 'read',
    reads: true,
    example: { params: { cid: '{{campaign}}', link_id: '1' } },
    async run(context, { cid: named, link_id, ...page }) {
      const of = await campaignOf(context, named);
      const number = /^[1-9]\d{0,8}$/.test(link_id) ? Number(link_id) - 1 : -1;
      const found = await linkFollowers(context.tx, of, number, page);
      if (!found) throw new Fault('CAMPAIGN_OPTION_INVALID', `link_id: the campaign has no link "${link_id}"`);
      return {
        total: found.total,
        data: found.rows.map((one) => ({
          email: one.email,
          clicks: one.clicks,
          machine_clicks: one.machineClicks,
        })),
      };
    },
  }),
  method({
    name: 'campaignOpened',
    group: 'reports',
    summary: 'Returns who opened a campaign, and how often.',
    description: 'A click counts as an opening. Who is known for machine openings only is not here.',
    params: params({ cid, ...pages }),
    returns: list(opener),
    faults: pagedFaults,
    scope: 'read',
    reads: true,
    example: { params: { cid: '{{campaign}}' } },
    async run(context, { cid: named, ...page }) {
      return openerList(await openers(context.tx, await campaignOf(context, named), page));
    },
  }),
  method({
    name: 'campaignNotOpened',
    group: 'reports',
    summary: 'Returns who got a campaign and, as far as is known, has not opened it.',
    description:
      'Only contacts whose server accepted the mail. Some of them may have read it: mail programs that show no pictures do not tell.',
    params: params({ cid, ...pages }),
    returns: list(opener),
    faults: pagedFaults,
    scope: 'read',
    reads: true,
    example: { params: { cid: '{{campaign}}' } },
    async run(context, { cid: named, ...page }) {
      return openerList(await nonOpeners(context.tx, await campaignOf(context, named), page));
    },
  }),
  bounceMethod('campaignHardBounces', 'hard', 'Returns whose address or domain does not exist.'),
  bounceMethod('campaignSoftBounces', 'soft', 'Returns whose mailbox exists but took nothing this time.'),
  method({
    name: 'campaignBounceMessages',
    group: 'reports',
    summary: 'Returns all refused recipients of a campaign with the class of the bounce and what the server said.',
    params: params({ cid, ...pages }),
    returns: list({ ...bounce, bounce: z.string() }),
    faults: pagedFaults,
    scope: 'read',
    reads: true,
    example: { params: { cid: '{{campaign}}', limit: 100 } },
    async run(context, { cid: named, ...page }) {
      const found = await bounced(context.tx, await campaignOf(context, named), null, page);
      return {
        total: found.total,
        data: found.rows.map(({ at, ...one }) => ({ ...one, timestamp: formatDate(at) })),
      };
    },
  }),
  method({
    name: 'campaignUnsubscribes',
    group: 'reports',
    summary: 'Returns who left a list by a link of this campaign, and the reason given.',
    description: 'A contact is here once, also when it left several lists or has subscribed again since.',
    params: params({ cid, ...pages }),
    returns: list({ email: z.string(), reason: z.string(), timestamp: z.string() }),
    faults: pagedFaults,
    scope: 'read',
    reads: true,
    example: { params: { cid: '{{campaign}}' } },
    async run(context, { cid: named, ...page }) {
      const found = await leavers(context.tx, await campaignOf(context, named), page);
      return {
        total: found.total,
        data: found.rows.map(({ at, ...one }) => ({ ...one, timestamp: formatDate(at) })),
      };
    },
  }),
  method({
    name: 'campaignEmailDomainPerformance',
    group: 'reports',
    summary: 'Returns the figures of a campaign by domain of the recipients, largest first.',
    description: `At most ${maxDomains} domains are named; the others are summed up as the last one, whose domain is "". The _pct members are per cent with one decimal: emails of all mails, bounces and delivered of the emails of the domain, opens, clicks and unsubs of the delivered ones. opens and clicks count people.`,
    params: params({ cid }),
    returns: z.array(
      z.object({
        domain: z.string(),
        emails: z.int(),
        delivered: z.int(),
        bounces: z.int(),
        opens: z.int(),
        clicks: z.int(),
        unsubs: z.int(),
        emails_pct: z.number(),
        delivered_pct: z.number(),
        bounces_pct: z.number(),
        opens_pct: z.number(),
        clicks_pct: z.number(),
        unsubs_pct: z.number(),
      }),
    ),
    faults: ['CAMPAIGN_UNKNOWN'],
    scope: 'read',
    reads: true,
    example: { params: { cid: '{{campaign}}' } },
    async run(context, given) {
      const domains = await domainSums(context.tx, await campaignOf(context, given.cid), maxDomains);
      const all = domains.reduce((sum, one) => sum + one.emails, 0);
      return domains.map((one) => ({
        domain: one.domain,
        emails: one.emails,
        delivered: one.accepted,
        bounces: one.bounces,
        opens: one.opens,
        clicks: one.clicks,
        unsubs: one.unsubscribes,
        emails_pct: percent(one.emails, all),
        delivered_pct: percent(one.accepted, one.emails),
        bounces_pct: percent(one.bounces, one.emails),
        opens_pct: percent(one.opens, one.accepted),
        clicks_pct: percent(one.clicks, one.accepted),
        unsubs_pct: percent(one.unsubscribes, one.accepted),
      }));
    },
  }),
  method({
    name: 'campaignGeoOpens',
    group: 'reports',
    summary: 'Returns the openings of a campaign by country, as far as countries are known.',
    description:
      'No table of which address belongs to which country comes with this program, so all openings by people stand under the code "" (not known); without openings the answer is empty.',
    params: params({ cid }),
    returns: z.array(z.object({ code: z.string(), name: z.string(), opens: z.int(), unique_opens: z.int() })),
    faults: ['CAMPAIGN_UNKNOWN'],
    scope: 'read',
    reads: true,
    example: { params: { cid: '{{campaign}}' } },
    async run(context, given) {
      const sums = await engagementSums(context.tx, await campaignOf(context, given.cid));
      return sums.opens === 0
        ? []
        : [{ code: '', name: 'not known', opens: sums.opens, unique_opens: sums.uniqueOpens }];
    },
  }),
];

function bounceMethod<const Name extends string>(name: Name, kind: 'hard' | 'soft', summary: string) {
  return method({
    name,
    group: 'reports',
    summary,
    params: params({ cid, ...pages }),
    returns: list(bounce),
    faults: pagedFaults,
    scope: 'read',
    reads: true,
    example: { params: { cid: '{{campaign}}' } },
    async run(context, { cid: named, ...page }) {
      const found = await bounced(context.tx, await campaignOf(context, named), kind, page);
      return {
        total: found.total,
        data: found.rows.map(({ email, code, message, at }) => ({ email, code, message, timestamp: formatDate(at) })),
      };
    },
  });
}

async function campaignOf(context: Context, named: string) {
  const campaignId = await needCampaignId(context, named);
  return { accountId: context.account.id, campaignId, cid: formatId(campaignId) };
}

/** Ids of links count from 1: clients of some languages take "0" for nothing. */
const linkId = (no: number) => String(no + 1);

function openerList(found: Awaited<ReturnType<typeof openers>>) {
  return {
    total: found.total,
    data: found.rows.map((one) => ({
      email: one.email,
      opens: one.opens,
      clicks: one.clicks,
      last_open: formatDate(one.lastOpenAt),
      machine_opens: one.machineOpens,
    })),
  };
}

const percent = (part: number, whole: number) => (whole === 0 ? 0 : Math.round((part / whole) * 1_000) / 10);

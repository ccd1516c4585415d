// The methods that report what became of a campaign: totals, links, opens, bounces, unsubscribes, domains, timeline.
// Declarations only. The plain numbers are those of people; hits of machines are in the machine_ members.
import { z } from 'zod';
import { method } from '../../method/method.ts';
import { named } from '../../method/named.ts';
import { paging } from '../../method/paging.ts';
import { arrayOf, id, integer, params, text } from '../../method/params.ts';
import type { BounceClass } from '../../relays/verdict/rules.ts';
import { conversionsRecord } from '../conversions.ts';
import { listClients, maxHits } from './clients.ts';
import { listConversions } from './conversions.ts';
import { listDomains, maxDomains } from './domains.ts';
import { maxHourlyHours } from './hourly.ts';
import { listClickers, listLinks } from './links.ts';
import { listResults, ratedCampaigns } from './lists.ts';
import { listReactions } from './reactions.ts';
import { listBounces, listBouncesOf, listNonOpeners, listOpeners, listUnsubscribers } from './recipients.ts';
import { listForwards, showCountries, showCountry, showStats } from './stats.ts';
import { maxHours, showTimeline } from './timeline.ts';

const cid = id('The campaign.');
const pages = paging(1_000, 15_000);

const list = <T extends z.ZodType>(row: T) => z.object({ total: z.int(), data: z.array(row) });
const opener = named(
  'Opener',
  z.object({
    email: z.string(),
    count: z.int().meta({ description: 'The same as opens.' }),
    opens: z.int(),
    clicks: z.int(),
    last_open: z.string(),
    machine_opens: z.int(),
  }),
);
const bounce = named(
  'Bounce',
  z.object({ email: z.string(), code: z.int(), message: z.string(), timestamp: z.string() }),
);
const country = named(
  'CountryOpens',
  z.object({ code: z.string(), name: z.string(), opens: z.int(), unique_opens: z.int() }),
);
/** Published clients read a list of addresses. */
const addresses = {
  meaning: 'a list of addresses',
  returns: z.array(z.string()),
  of: ({ data }: { data: { email: string }[] }) => data.map(({ email }) => email),
};
const pagedFaults = ['CAMPAIGN_UNKNOWN', 'LIMIT_OUT_OF_RANGE', 'START_OUT_OF_RANGE'] as const;

export const reportMethods = [
  method({
    name: 'campaignStats',
    group: 'reports',
    summary: 'Returns the totals of a campaign: messages sent, bounces, unsubscribes, opens, clicks.',
    description:
      'The plain numbers are those of people; hits of scanners, prefetching proxies and other programs are in the machine_ members. A click counts as an open too, since many email clients show no pictures. unique_opens and users_who_clicked count contacts, unique_clicks counts pairs of a contact and a link. complaints counts recipients who, according to their provider, reported the message as spam; they are unsubscribed and suppressed. There is no forward-to-a-friend form, so forwards is always 0. Times are GMT, "" if there is none.',
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
    narrowed: true,
    reads: true,
    example: { params: { cid: '{{campaign}}' } },
    run: showStats,
  }),
  method({
    name: 'campaignReactions',
    group: 'reports',
    summary: 'Returns how many people opened and clicked in each of several campaigns.',
    description:
      'The numbers are unique_opens and users_who_clicked of campaignStats, read for up to 100 campaigns at once.',
    params: params({ cids: arrayOf('Ids of campaigns.', id('A campaign.'), 100) }),
    returns: z.array(z.object({ id: z.string(), unique_opens: z.int(), users_who_clicked: z.int() })),
    faults: ['CAMPAIGN_UNKNOWN'],
    scope: 'read',
    narrowed: true,
    reads: true,
    example: { params: { cids: ['{{campaign}}'] } },
    run: listReactions,
  }),
  method({
    name: 'listResults',
    group: 'reports',
    summary: 'Returns which campaign was sent to each of several lists last, and how its last campaigns did.',
    description: `The rates are the mean over the last ${ratedCampaigns} campaigns of the list that were sent at least two days ago, from 0 to 1; opens and clicks count people. campaigns says over how many: 0 if there is none yet. A list to which nothing was sent is left out.`,
    params: params({ ids: arrayOf('Ids of lists.', id('A list.'), 100) }),
    returns: z.array(
      z.object({
        id: z.string(),
        campaign: z.string().meta({ description: 'The id of the campaign that was sent last.' }),
        title: z.string(),
        send_time: z.string(),
        campaigns: z.int(),
        open_rate: z.number(),
        click_rate: z.number(),
      }),
    ),
    faults: ['LIST_UNKNOWN'],
    scope: 'read',
    narrowed: true,
    reads: true,
    example: { params: { ids: ['{{list}}'] } },
    run: listResults,
  }),
  method({
    name: 'campaignConversions',
    group: 'reports',
    summary: 'Returns what events with a value brought in after a click, for each of several campaigns.',
    description:
      'An event that eventSend reports with a value above zero counts for the email whose link its contact followed last, if that was within conversion_days before it (accountUpdate): of a campaign, autoresponder or automation. people counts each contact once. Values are summed by the currency that the data of the event names (the member currency, such as EUR), and never added across currencies. What was counted stays. automationGet has the figures of all emails of an automation together.',
    params: params({ cids: arrayOf('Ids of campaigns.', id('A campaign.'), 100) }),
    returns: z.array(z.object({ id: z.string(), ...conversionsRecord })),
    faults: ['CAMPAIGN_UNKNOWN'],
    scope: 'read',
    narrowed: true,
    reads: true,
    example: { params: { cids: ['{{campaign}}'] } },
    run: listConversions,
  }),
  method({
    name: 'campaignClickStats',
    group: 'reports',
    summary: 'Returns every tracked link of a campaign with its clicks, in the order of the message.',
    description:
      'url is where the link leads: as the author wrote it, or as campaignLinkUpdate corrected it; merge tags in it are filled in for each contact. unique counts the contacts who followed the link.',
    params: params({ cid }),
    returns: z.array(
      z.object({
        id: z.string(),
        url: z.string(),
        clicks: z.int(),
        unique: z.int(),
        machine_clicks: z.int(),
        first_url: z.string().meta({ description: 'As the author wrote it, if it was corrected; else "".' }),
        corrected_at: z.string(),
        corrected_by: z.string().meta({ description: 'The user or API key that corrected it last.' }),
      }),
    ),
    family: {
      answer: {
        meaning: 'for calls to /1.0/ to /1.7/ a struct with clicks and unique of each link by its URL',
        returns: z.union([z.array(z.unknown()), z.record(z.string(), z.unknown())]),
        of: (links, before18) => (before18 ? clicksByUrl(links) : links),
      },
    },
    faults: ['CAMPAIGN_UNKNOWN'],
    scope: 'read',
    narrowed: true,
    reads: true,
    example: { params: { cid: '{{campaign}}' } },
    run: listLinks,
  }),
  method({
    name: 'campaignClickStatsDetails',
    group: 'reports',
    summary: 'Returns who followed a link of a campaign, or any of its links, and how often.',
    params: params({
      cid,
      link_id: text('Id of the link, from campaignClickStats; all links when not given.', 20).default(''),
      link: text('URL of the link, from campaignClickStats.', 10_000).default(''),
      ...pages,
    }),
    returns: list(
      z.object({
        email: z.string(),
        link_id: z.string(),
        link: z.string(),
        clicks: z.int(),
        machine_clicks: z.int(),
        date: z.string().meta({ description: "The contact's last click in the message." }),
      }),
    ),
    family: {
      params: {
        filters: { meaning: 'A struct of linkId and link, the same as link_id and link.', read: readLinkFilters },
      },
      answer: {
        meaning: 'data itself, without total, each item with empty members device and browser',
        returns: z.array(z.record(z.string(), z.unknown())),
        // Which device and browser a click came from is not stored.
        of: ({ data }) => data.map((row) => ({ ...row, device: '', browser: '' })),
      },
    },
    faults: [...pagedFaults, 'CAMPAIGN_OPTION_INVALID'],
    scope: 'read',
    addresses: true,
    narrowed: true,
    reads: true,
    example: { params: { cid: '{{campaign}}', link_id: '1' } },
    run: listClickers,
  }),
  method({
    name: 'campaignOpened',
    group: 'reports',
    summary: 'Returns who opened a campaign, and how often.',
    description: 'A click counts as an open. Contacts with machine opens only are not listed.',
    params: params({ cid, ...pages }),
    returns: list(opener),
    faults: pagedFaults,
    scope: 'read',
    addresses: true,
    narrowed: true,
    reads: true,
    example: { params: { cid: '{{campaign}}' } },
    run: listOpeners,
  }),
  method({
    name: 'campaignNotOpened',
    group: 'reports',
    summary: 'Returns the recipients of a campaign who have not opened it, as far as is known.',
    description:
      'Lists only contacts whose server accepted the message. Some of them may have read it: email clients that show no pictures report no opens.',
    params: params({ cid, ...pages }),
    returns: list(opener),
    family: {
      answer: {
        meaning: 'data as a list of addresses',
        returns: z.object({ total: z.int(), data: addresses.returns }),
        of: ({ total, data }) => ({ total, data: addresses.of({ data }) }),
      },
    },
    faults: pagedFaults,
    scope: 'read',
    addresses: true,
    narrowed: true,
    reads: true,
    example: { params: { cid: '{{campaign}}' } },
    run: listNonOpeners,
  }),
  bounceMethod('campaignHardBounces', 'hard', 'Returns the recipients whose address or domain does not exist.'),
  bounceMethod(
    'campaignSoftBounces',
    'soft',
    'Returns the recipients whose mailbox exists but did not accept the message this time.',
  ),
  bounceMethod(
    'campaignBlockedBounces',
    'blocked',
    'Returns the recipients whose server refused the sender or the content.',
  ),
  bounceMethod(
    'campaignTemporaryBounces',
    'temporary',
    'Returns the recipients whose server refused every attempt with a temporary error.',
  ),
  bounceMethod('campaignGenericBounces', 'generic', 'Returns the recipients with a bounce of any other kind.'),
  method({
    name: 'campaignBounceMessages',
    group: 'reports',
    summary: 'Returns all bounced recipients of a campaign with the class of the bounce and the reply of the server.',
    params: params({ cid, ...pages }),
    returns: list(bounce.extend({ bounce: z.string() })),
    family: {
      answer: {
        meaning: 'data itself, without total, and the timestamp also as date',
        returns: z.array(bounce.extend({ bounce: z.string(), date: z.string() })),
        of: ({ data }) => data.map((row) => ({ date: row.timestamp, ...row })),
      },
    },
    faults: pagedFaults,
    scope: 'read',
    addresses: true,
    narrowed: true,
    reads: true,
    example: { params: { cid: '{{campaign}}', limit: 100 } },
    run: listBounces,
  }),
  method({
    name: 'campaignUnsubscribes',
    group: 'reports',
    summary: 'Returns who unsubscribed by a link of this campaign, and the reason given.',
    description: 'Each contact is listed once, even if it left several lists or has subscribed again since.',
    params: params({ cid, ...pages }),
    returns: list(z.object({ email: z.string(), reason: z.string(), timestamp: z.string() })),
    family: { answer: addresses },
    faults: pagedFaults,
    scope: 'read',
    addresses: true,
    narrowed: true,
    reads: true,
    example: { params: { cid: '{{campaign}}' } },
    run: listUnsubscribers,
  }),
  method({
    name: 'campaignEmailDomainPerformance',
    group: 'reports',
    summary: 'Returns the numbers of a campaign by domain of the recipients, largest first.',
    description: `Up to ${maxDomains} domains are listed; the last row, with the domain "", sums up all others. The _pct members are percentages with one decimal: emails of all messages; bounces and delivered of the emails of the domain; opens, clicks and unsubs of the delivered messages. opens and clicks count people.`,
    params: params({ cid }),
    returns: z.array(
      z.object({
        domain: z.string(),
        total_sent: z.int().meta({ description: 'Messages of all domains.' }),
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
    narrowed: true,
    reads: true,
    example: { params: { cid: '{{campaign}}' } },
    run: listDomains,
  }),
  method({
    name: 'campaignClients',
    group: 'reports',
    summary:
      'Returns the email clients and devices with which people opened a campaign or clicked in it, most used first.',
    description: `Taken from what requests say about themselves, of at most ${maxHits} opens and clicks; machines do not count, and a person with two clients counts in both. The client "" is any other; devices are computer, phone, tablet and unknown, which is what services show that fetch images for their users. Empty once the opens and clicks are no longer kept.`,
    params: params({ cid }),
    returns: z.object({
      clients: z.array(z.object({ name: z.string(), people: z.int() })),
      devices: z.array(z.object({ name: z.string(), people: z.int() })),
    }),
    faults: ['CAMPAIGN_UNKNOWN'],
    scope: 'read',
    narrowed: true,
    reads: true,
    example: { params: { cid: '{{campaign}}' } },
    run: listClients,
  }),
  method({
    name: 'campaignGeoOpens',
    group: 'reports',
    summary: 'Returns the opens of a campaign by country, as far as countries are known.',
    description:
      'Postrider does not include a database of IP addresses by country, so all opens by people are under the code "" (not known). Without opens the result is empty.',
    params: params({ cid }),
    returns: z.array(country),
    faults: ['CAMPAIGN_UNKNOWN'],
    scope: 'read',
    narrowed: true,
    reads: true,
    example: { params: { cid: '{{campaign}}' } },
    run: showCountries,
  }),
  method({
    name: 'campaignGeoOpensByCountry',
    group: 'reports',
    summary: 'Returns the opens of a campaign from one country, as far as countries are known.',
    description: 'See campaignGeoOpens: countries are not known, so only the code "" has opens.',
    params: params({ cid, code: text('Two letters, as in ISO 3166.', 20) }),
    returns: country,
    faults: ['CAMPAIGN_UNKNOWN'],
    scope: 'read',
    narrowed: true,
    reads: true,
    example: { params: { cid: '{{campaign}}', code: 'LV' } },
    run: showCountry,
  }),
  method({
    name: 'campaignForwardStats',
    group: 'reports',
    summary: 'Returns an empty list: messages have no form to forward them to a friend.',
    params: params({ cid, ...pages }),
    returns: z.array(z.string()),
    faults: pagedFaults,
    scope: 'read',
    narrowed: true,
    reads: true,
    example: { params: { cid: '{{campaign}}' } },
    run: listForwards,
  }),
  method({
    name: 'campaignTimeline',
    group: 'reports',
    summary: `Returns the opens and clicks of a campaign per hour, or per day of the account for more than ${maxHourlyHours} hours.`,
    description:
      'The timeline of a campaign starts with the hour in which sending began; that of an autoresponder ends with the current hour. Future hours are left out. opens counts pictures loaded and clicks counts links followed, every time; the machine_ members are those of scanners, proxies and other programs.',
    params: params({
      cid,
      hours: integer('How many hours, 1 to 8760.', 1, maxHours, { fault: 'LIMIT_OUT_OF_RANGE' }).default(72),
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
    narrowed: true,
    reads: true,
    example: { params: { cid: '{{campaign}}', hours: 24 } },
    run: showTimeline,
  }),
];

function bounceMethod<const Name extends string>(name: Name, kind: BounceClass, summary: string) {
  return method({
    name,
    group: 'reports',
    summary,
    params: params({ cid, ...pages }),
    returns: list(bounce),
    family: { answer: addresses },
    faults: pagedFaults,
    scope: 'read',
    addresses: true,
    narrowed: true,
    reads: true,
    example: { params: { cid: '{{campaign}}' } },
    run: (context, given) => listBouncesOf(context, given, kind),
  });
}

/** A URL that occurs several times in a message is one link for classes before 1.8. */
function clicksByUrl(links: readonly { url: string; clicks: number; unique: number }[]) {
  const byUrl = Map.groupBy(links, ({ url }) => url);
  return Object.fromEntries(
    [...byUrl].map(([url, same]) => [
      url,
      {
        clicks: same.reduce((sum, { clicks }) => sum + clicks, 0),
        unique: Math.max(...same.map(({ unique }) => unique)),
      },
    ]),
  );
}

/** Members other than linkId and link are passed on under their path and refused. */
function readLinkFilters(filters: unknown): Record<string, unknown> {
  if (typeof filters !== 'object' || filters === null || Array.isArray(filters)) return {};
  const { linkId, link, ...others } = filters as Record<string, unknown>;
  return {
    ...(linkId !== undefined && { link_id: linkId }),
    ...(link !== undefined && { link }),
    ...Object.fromEntries(Object.entries(others).map(([name, value]) => [`filters.${name}`, value])),
  };
}

// The methods about what was sent and what came back by day: rates of reputation, and usage. Declarations only.
import { z } from 'zod';
import { bounceRate, type Counts, complaintRate, reputationRules } from '../../base/reputation-rules.ts';
import { formatId } from '../../db/ids.ts';
import { method } from '../../method/method.ts';
import { named } from '../../method/named.ts';
import { boolean, params, problem, text } from '../../method/params.ts';
import { ratesOf } from './rates.ts';
import { usageOf } from './usage.ts';
import { warningsOf } from './warnings.ts';

const { days, minMessages, minComplaints, warnAt, warnUntil } = reputationRules;
const percent = (rate: number) => `${Math.round(rate * 10_000) / 100} %`;

const rates = {
  emails: z.int().meta({ description: 'Messages that were accepted, or refused as a hard bounce.' }),
  hard_bounces: z.int(),
  complaints: z.int(),
  bounce_rate: z.number(),
  complaint_rate: z.number(),
  warned: z
    .boolean()
    .meta({ description: 'Whether the owner was warned of its complaints, and they are still too many.' }),
};
const listRates = named('ListRates', z.object({ id: z.string(), name: z.string(), ...rates }));
const providerRates = named(
  'ProviderRates',
  z.object({
    provider: z.string().meta({ description: 'Such as gmail; other for all domains without a name here.' }),
    name: z.string(),
    ...rates,
  }),
);

const month = (description: string) =>
  text(description, 7)
    .refine((value) => /^20\d\d-(0[1-9]|1[0-2])$/.test(value as string), problem('usage.month'))
    .optional();

export const usageParams = params({
  from: month('The first month, such as 2026-01; by default that of a year ago.'),
  to: month('The last month; by default this one.'),
  all: boolean('Of all accounts: only for the operator of the installation; default false.').default(false),
});

export const dailyMethods = [
  method({
    name: 'reputationGet',
    group: 'reports',
    summary: `Returns complaint and hard-bounce rates over the last ${days} days: of the account, by list and by receiving provider.`,
    description: `Of campaigns, automations, single messages and emails of the program, without tests. Rates are from 0 to 1: hard bounces of all emails, complaints of those that were accepted; each counts on the day on which it came back. Postrider learns of complaints from feedback loops and sending services; Gmail reports none about single messages. The owner is warned once by email when the complaint rate of the account, of a list or at a provider reaches ${percent(warnAt)} with at least ${minComplaints} complaints of ${minMessages} accepted emails; the warning ends below ${percent(warnUntil)}. A receiving provider is known by the domain of the address. Counts from the day on which this version was installed.`,
    params: params({}),
    returns: z.object({
      days: z.int(),
      ...rates,
      lists: z.array(listRates),
      providers: z.array(providerRates),
    }),
    faults: [],
    scope: 'read',
    reads: true,
    example: { params: {} },
    async run({ tx, account }) {
      const rated = await ratesOf(tx, account.id);
      const warnings = await warningsOf(tx, account.id);
      const isWarned = (scope: string, id: string) => warnings.some((one) => one.scope === scope && one.id === id);
      return {
        days,
        ...ratesFrom(rated.account, isWarned('account', '')),
        lists: rated.lists.map(({ id, name, ...counts }) => ({
          id: formatId(id),
          name,
          ...ratesFrom(counts, isWarned('list', String(id))),
        })),
        providers: rated.providers.map(({ provider, name, ...counts }) => ({
          provider,
          name,
          ...ratesFrom(counts, isWarned('provider', provider)),
        })),
      };
    },
  }),
  method({
    name: 'usage',
    group: 'account',
    summary: 'Returns how many emails an account has sent, by month and kind; for the operator of all accounts.',
    description:
      'Counts the emails that relays accepted, by the month (UTC) in which they did: of campaigns (with recurring campaigns), of automations and autoresponders, single messages, emails of the program (such as confirmations and notices), and tests (with all emails of a test account). Copies that were resent count once. The newest month comes first. The same is at /export/usage.csv as a file. What a deleted account has sent is no longer in it. Counts from the day on which this version was installed.',
    params: usageParams,
    returns: z.array(
      named(
        'Usage',
        z.object({
          month: z.string(),
          account: z.string(),
          name: z.string(),
          campaigns: z.int(),
          automations: z.int(),
          messages: z.int(),
          program: z.int(),
          tests: z.int(),
          total: z.int(),
        }),
      ),
    ),
    faults: [],
    scope: 'admin',
    reads: true,
    example: { params: { from: '2026-01' } },
    run: ({ tx, account }, order) => usageOf(tx, account, order),
  }),
];

function ratesFrom(counts: Counts, warned: boolean) {
  const { accepted, refused, returned, complaints } = counts;
  return {
    emails: accepted + refused,
    hard_bounces: refused + returned,
    complaints,
    bounce_rate: bounceRate(counts),
    complaint_rate: complaintRate(counts),
    warned,
  };
}

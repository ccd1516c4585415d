// The methods for links that show reports to people without an account. Declarations only.
import { z } from 'zod';
import { method } from '../../method/method.ts';
import { named } from '../../method/named.ts';
import { id, integer, line, params } from '../../method/params.ts';
import { createReportLink, deleteReportLink, listReportLinks, maxReportLinks } from './report-link.ts';
import { fewest } from './shared-report.ts';

const maxDays = 365;

export const reportLinkMethods = [
  method({
    name: 'reportLinkCreate',
    group: 'reports',
    summary: 'Makes a link that shows a report to people without an account: figures only, until it expires.',
    description: `cid is the campaign whose report it shows. Without it, it lists the last campaigns that were sent, each with its report: with list those that went to this list and no other, without it those of the account. The page has the totals and how many people followed each link: no addresses, no names, no single opens or clicks; of fewer than ${fewest.people} people only that they are so few, and no reactions to a campaign with fewer than ${fewest.messages} delivered messages. Links are shown without their parameters. The url is returned only here: the database has its hash. Anyone who has it can open it; it ends when it expires, with reportLinkDelete, or with what it shows. At most ${maxReportLinks} are valid at a time.`,
    params: params({
      cid: id('The campaign.').optional(),
      list: id('Instead: the list whose campaigns it shows.').optional(),
      name: line('For whom it is: only in the list of links.', 100).default(''),
      days: integer('The days until it expires; default 30.', 1, maxDays).default(30),
    }),
    returns: z.object({ id: z.string(), url: z.string(), expires_at: z.string() }),
    faults: ['CAMPAIGN_UNKNOWN', 'LIST_UNKNOWN', 'TOO_LARGE'],
    scope: 'write',
    permission: 'campaigns:write',
    example: { params: { cid: '{{campaign}}', name: 'Acme', days: 14 } },
    run: createReportLink,
  }),
  method({
    name: 'reportLinks',
    group: 'reports',
    summary: 'Returns the links to reports that are valid, the newest first, without their URLs.',
    description: 'cid and list are empty for a link to all campaigns of the account.',
    params: params({
      cid: id('Only those to the report of this campaign.').optional(),
      list: id('Only those to the campaigns of this list.').optional(),
    }),
    returns: z.array(
      named(
        'ReportLink',
        z.object({
          id: z.string(),
          cid: z.string(),
          list: z.string(),
          name: z.string(),
          created_by: z.string(),
          created_at: z.string(),
          expires_at: z.string(),
        }),
      ),
    ),
    faults: ['CAMPAIGN_UNKNOWN', 'LIST_UNKNOWN'],
    scope: 'read',
    reads: true,
    example: { params: { cid: '{{campaign}}' } },
    run: listReportLinks,
  }),
  method({
    name: 'reportLinkDelete',
    group: 'reports',
    summary: 'Withdraws a link to a report: it opens nothing any more.',
    params: params({ id: id('The link, from reportLinks.') }),
    returns: z.boolean(),
    faults: ['REPORT_LINK_UNKNOWN'],
    scope: 'write',
    permission: 'campaigns:write',
    example: { params: { id: '{{report_link}}' } },
    run: deleteReportLink,
  }),
];

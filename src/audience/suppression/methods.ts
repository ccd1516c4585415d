// The methods about the suppression list: by hand, one or many, addresses and whole domains.
import { z } from 'zod';
import type { Caller } from '../../base/context.ts';
import { Fault } from '../../base/faults.ts';
import { sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import { formatDate } from '../../method/date.ts';
import { method } from '../../method/method.ts';
import { many, params, text, word } from '../../method/params.ts';
import { paging } from '../lists/methods.ts';
import { batchResult, eachOf, maxInBatch } from '../members/batch.ts';
import { needSuppressible, release, suppress } from './suppression.ts';

const emailAddress = text('The address; or a domain, as example.com or @example.com, for every address at it.', 1_000);
const comment = text('Why, in words.', 500).default('');

export const suppressionMethods = [
  method({
    name: 'suppressedListSubscribe',
    group: 'suppression',
    summary: 'Puts an address or a whole domain on the suppression list: it gets no mail of this account any more.',
    description: 'Subscriptions stay as they are; the address is left out whenever something is sent.',
    params: params({ email_address: emailAddress, comment }),
    returns: z.boolean(),
    faults: ['ADDRESS_INVALID', 'ALREADY_SUBSCRIBED'],
    scope: 'write',
    example: { params: { email_address: 'never@example.com', comment: 'Asked by telephone' } },
    async run(context, given) {
      await add(context, given.email_address, given.comment);
      return true;
    },
  }),
  method({
    name: 'suppressedListUnsubscribe',
    group: 'suppression',
    summary: 'Takes an address or a domain off the suppression list.',
    params: params({ email_address: emailAddress }),
    returns: z.boolean(),
    faults: ['ADDRESS_INVALID', 'ADDRESS_UNKNOWN'],
    scope: 'write',
    example: { params: { email_address: '{{suppressed}}' } },
    async run(context, given) {
      await remove(context, given.email_address);
      return true;
    },
  }),
  method({
    name: 'suppressedListBatchSubscribe',
    group: 'suppression',
    summary: `Puts up to ${maxInBatch} addresses or domains on the suppression list.`,
    params: params({ emails: many('The addresses and domains.', emailAddress, 1_000_000), comment }),
    returns: batchResult,
    faults: ['TOO_LARGE'],
    scope: 'write',
    example: { params: { emails: ['never@example.com', '@example.net', 'not an address'] } },
    run: (context, given) => eachOf(given.emails, 'emails', (email) => add(context, email, given.comment)),
  }),
  method({
    name: 'suppressedListBatchUnsubscribe',
    group: 'suppression',
    summary: `Takes up to ${maxInBatch} addresses or domains off the suppression list.`,
    params: params({ emails: many('The addresses and domains.', emailAddress, 1_000_000) }),
    returns: batchResult,
    faults: ['TOO_LARGE'],
    scope: 'write',
    example: { params: { emails: ['{{suppressed}}', 'unknown@example.com'] } },
    run: (context, given) => eachOf(given.emails, 'emails', (email) => remove(context, email)),
  }),
  method({
    name: 'suppressedListMembers',
    group: 'suppression',
    summary: 'Returns the suppression list, newest first.',
    description: 'Addresses that were erased are kept as a hash, which is shown in place of the address.',
    params: params({
      reason: word('Only what was suppressed for this reason.', [
        'all',
        'manual',
        'api',
        'bounce',
        'complaint',
        'unsubscribe',
        'erased',
      ]).default('all'),
      contains: text('Only what holds this text.', 320).default(''),
      ...paging(100, 15_000),
    }),
    returns: z.array(
      z.object({
        email: z.string().meta({ description: 'The address, the domain, or the hash of an erased address.' }),
        kind: z.string().meta({ description: 'address, domain or hash.' }),
        reason: z.string(),
        campaign_id: z.string(),
        detail: z.string(),
        timestamp: z.string(),
      }),
    ),
    faults: ['LIMIT_OUT_OF_RANGE', 'START_OUT_OF_RANGE'],
    scope: 'read',
    reads: true,
    example: { params: { reason: 'all', limit: 10 } },
    async run({ tx, account }, { reason, contains, start, limit }) {
      const rows = await tx.rows<Row>(sql`
        select kind, value, reason, campaign_id, detail, created_at
        from suppression
        where account_id = ${account.id}
          and (${reason} = 'all' or reason = ${reason})
          and strpos(value, ${contains.trim().toLowerCase()}) > 0
        order by created_at desc, kind, value
        limit ${limit}
        offset ${start * limit}`);
      return rows.map((row) => ({
        email: row.value,
        kind: row.kind,
        reason: row.reason,
        campaign_id: row.campaign_id === null ? '' : formatId(row.campaign_id),
        detail: row.detail,
        timestamp: formatDate(row.created_at),
      }));
    },
  }),
];

type Row = {
  kind: string;
  value: string;
  reason: string;
  campaign_id: number | null;
  detail: string;
  created_at: Date;
};

async function add(context: Parameters<typeof suppress>[0], email: string, why: string): Promise<void> {
  const one = needSuppressible(email, 'email_address');
  if (!(await suppress(context, one, reasonOf(context.caller), why)))
    throw new Fault('ALREADY_SUBSCRIBED', `email_address: ${one.value} is on the suppression list already`);
}

async function remove(context: Parameters<typeof release>[0], email: string): Promise<void> {
  const one = needSuppressible(email, 'email_address');
  if (!(await release(context, one)))
    throw new Fault('ADDRESS_UNKNOWN', `email_address: ${one.value} is not on the suppression list`);
}

const reasonOf = (caller: Caller) => (caller.kind === 'user' ? 'manual' : 'api');

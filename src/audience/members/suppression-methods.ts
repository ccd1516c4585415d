// The methods about the suppression list: adding, removing and reading addresses and whole domains.
import { z } from 'zod';
import { mayDo } from '../../accounts/keys/permissions.ts';
import type { Caller, Context } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { type Sql, sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import { formatDate } from '../../method/date.ts';
import { method } from '../../method/method.ts';
import { named } from '../../method/named.ts';
import { type Page, paging } from '../../method/paging.ts';
import { oneOf, params, text } from '../../method/params.ts';
import { addressBatch, batchResult, eachAddress, maxInBatch } from '../model/batch.ts';
import {
  needSuppressible,
  type SuppressionReason,
  suppress,
  suppressionKinds,
  suppressionReasons,
  unsuppress,
} from '../model/suppression.ts';

const emailAddress = text('The address; or a domain, as example.com or @example.com, for every address at it.', 1_000);
const comment = text('The reason, in words.', 500).default('');

const sorts = ['time', '-time', 'email', '-email'] as const;
type Sort = (typeof sorts)[number];

const orders: Record<Sort, Sql> = {
  time: sql`x.created_at, x.kind, x.value`,
  '-time': sql`x.created_at desc, x.kind, x.value`,
  email: sql`x.value, x.kind`,
  '-email': sql`x.value desc, x.kind`,
};

export const suppressionMethods = [
  method({
    name: 'suppressedListSubscribe',
    group: 'suppression',
    summary: 'Suppresses an address or a whole domain: it gets no more mail from this account.',
    description: 'Subscriptions stay as they are; the address is skipped whenever something is sent.',
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
    summary: 'Removes an address or a domain from the suppression list.',
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
    summary: `Suppresses up to ${maxInBatch} addresses or domains.`,
    params: params({ emails: addressBatch('The addresses and domains.'), comment }),
    family: {
      params: {
        batch: {
          meaning: 'Structs whose member EMAIL is an address, or the addresses; instead of emails.',
          read: (batch) => ({ emails: Array.isArray(batch) ? batch.map(emailOf) : batch }),
        },
      },
    },
    returns: batchResult,
    faults: ['TOO_LARGE'],
    scope: 'write',
    example: { params: { emails: ['never@example.com', '@example.net', 'not an address'] } },
    run: (context, given) => eachAddress(given.emails, 'emails', (email) => add(context, email, given.comment)),
  }),
  method({
    name: 'suppressedListBatchUnsubscribe',
    group: 'suppression',
    summary: `Removes up to ${maxInBatch} addresses or domains from the suppression list.`,
    params: params({ emails: addressBatch('The addresses and domains.') }),
    returns: batchResult,
    faults: ['TOO_LARGE'],
    scope: 'write',
    example: { params: { emails: ['{{suppressed}}', 'unknown@example.com'] } },
    run: (context, given) => eachAddress(given.emails, 'emails', (email) => remove(context, email)),
  }),
  method({
    name: 'suppressedListMembers',
    group: 'suppression',
    summary: 'Returns the suppression list, newest first unless another order is asked for.',
    description: 'An erased address is kept as a hash, which is returned in place of the address.',
    params: params({
      reason: oneOf('Only entries with this reason.', [
        'all',
        'manual',
        'api',
        'bounce',
        'complaint',
        'unsubscribe',
        'erased',
      ]).default('all'),
      contains: text('Only entries that contain this text.', 320).default(''),
      sort: oneOf('The order; with a minus sign descending. time is when the entry was added.', sorts).default('-time'),
      ...paging(100, 15_000),
    }),
    returns: z.array(
      named(
        'Suppression',
        z.object({
          email: z.string().meta({ description: 'The address, the domain, or the hash of an erased address.' }),
          kind: z.enum(suppressionKinds),
          reason: z.enum(suppressionReasons),
          campaign_id: z.string(),
          campaign_title: z.string().meta({
            description:
              'The title of the campaign, or its subject; "" without one, and for callers who may not read campaigns.',
          }),
          detail: z.string().meta({ description: 'The reply of the mail server, or the reason in words.' }),
          timestamp: z.string(),
        }),
      ),
    ),
    faults: ['LIMIT_OUT_OF_RANGE', 'START_OUT_OF_RANGE'],
    scope: 'read',
    reads: true,
    example: { params: { reason: 'all', limit: 10 } },
    run: suppressedMembers,
  }),
];

/** The address of an item of a batch; an item without one is passed on and refused. */
function emailOf(item: unknown): unknown {
  if (typeof item !== 'object' || item === null) return item;
  const member = Object.entries(item).find(([name]) => name.toUpperCase() === 'EMAIL');
  return member ? member[1] : item;
}

async function suppressedMembers(
  { tx, account, caller }: Context,
  { reason, contains, sort, start, limit }: { reason: string; contains: string; sort: Sort } & Page,
) {
  const rows = await tx.rows<SuppressionRow>(sql`
    select x.kind, x.value, x.reason, x.campaign_id, x.detail, x.created_at, (
        select coalesce(nullif(c.title, ''), c.subject)
        from campaign c
        where c.account_id = x.account_id and c.id = x.campaign_id and ${mayDo(caller, 'campaigns:read')}
      ) as title
    from suppression x
    where x.account_id = ${account.id}
      and (${reason} = 'all' or x.reason = ${reason})
      and strpos(x.value, ${contains.trim().toLowerCase()}) > 0
    order by ${orders[sort]}
    limit ${limit}
    offset ${start * limit}`);
  return rows.map((row) => ({
    email: row.value,
    kind: row.kind,
    reason: row.reason,
    campaign_id: row.campaign_id === null ? '' : formatId(row.campaign_id),
    campaign_title: row.title ?? '',
    detail: row.detail,
    timestamp: formatDate(row.created_at),
  }));
}

type SuppressionRow = {
  kind: (typeof suppressionKinds)[number];
  value: string;
  reason: SuppressionReason;
  campaign_id: number | null;
  title: string | null;
  detail: string;
  created_at: Date;
};

async function add(context: Context, email: string, comment: string): Promise<void> {
  const item = needSuppressible(email, 'email_address');
  if (!(await suppress(context, item, reasonOf(context.caller), comment)))
    throw fault('ALREADY_SUBSCRIBED', 'suppression.exists', { member: 'email_address', value: item.value });
}

async function remove(context: Context, email: string): Promise<void> {
  const item = needSuppressible(email, 'email_address');
  if (!(await unsuppress(context, item)))
    throw fault('ADDRESS_UNKNOWN', 'suppression.missing', { member: 'email_address', value: item.value });
}

const reasonOf = (caller: Caller) => (caller.kind === 'user' ? 'manual' : 'api');

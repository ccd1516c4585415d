// What the public pages look up behind a token or an archive key: the frozen message, the recipient, a link's target.

import type { App } from '../base/context.ts';
import type { Compiled, Recipient } from '../campaigns/markup/compiled.ts';
import { eventTag, type Json } from '../campaigns/markup/data.ts';
import { monthOf } from '../campaigns/model/month.ts';
import { frozenOfRecipient, publicVariant } from '../campaigns/model/variant.ts';
import { prepared, sql } from '../db/connect.ts';
import { formerRecipients, isErased } from '../delivery/leaving/addressee.ts';
import { eventOf } from '../delivery/ledger/run-event.ts';
import type { RecipientIds } from '../tracking/tokens.ts';

export type Frozen = { compiled: Compiled; at: Date };

/** The frozen message of a campaign that has been launched. */
export async function frozenByArchiveKey(app: App, path: { webId: number; key: string }): Promise<Frozen | undefined> {
  return app.db.row<Frozen>(sql`
    select f.compiled, coalesce(c.send_at, f.frozen_at) as at
    from campaign c
    join frozen_content f on f.account_id = c.account_id and f.campaign_id = c.id and f.variant = ${publicVariant}
    where c.archive_key = ${path.key}
      and c.web_id = ${path.webId}
      and c.send_at is not null`);
}

/** The frozen message of a campaign; undefined when the campaign is gone. */
export async function frozenOf(app: App, { account, campaign }: RecipientIds): Promise<Frozen | undefined> {
  return app.db.row<Frozen>(sql`
    select compiled, frozen_at as at
    from frozen_content
    where account_id = ${account}
      and campaign_id = ${campaign}
      and variant = 0`);
}

/** The message and the recipient a token names, with today's values; undefined when one of them is gone. */
export async function campaignAndRecipient(
  app: App,
  ids: RecipientIds,
): Promise<(Frozen & { recipient: Recipient; contact: number }) | undefined> {
  const row = await app.db.row<Row & { contact: number }>(
    prepared(sql`
    select f.compiled, coalesce(d.done_at, f.frozen_at) as at, d.contact_id as contact, d.email, d.list_id as list, s.email_type as "emailType", s.fields as values,
      ${eventOf(sql`d`)} as event
    from delivery d
    join frozen_content f
      on f.account_id = d.account_id
      and f.campaign_id = d.campaign_id
      and f.variant = ${frozenOfRecipient(sql`d`)}
    left join subscription s
      on s.account_id = d.account_id
      and s.list_id = d.list_id
      and s.contact_id = d.contact_id
    where d.account_id = ${ids.account}
      and d.campaign_id = ${ids.campaign}
      and d.month = ${monthOf(ids)}
      and d.seq = ${ids.seq}`),
  );
  return row && { ...filled(row), contact: row.contact };
}

/** The same for a message of a campaign that is deleted: for its links, which have the values that they had. */
export async function formerRecipient(
  app: App,
  { account, campaign, seq }: RecipientIds,
): Promise<(Frozen & { recipient: Recipient }) | undefined> {
  const row = await app.db.row<Row>(sql`
    select f.compiled, f.frozen_at as at, d.email, d.list_id as list, s.email_type as "emailType", s.fields as values
    from ${formerRecipients(account)} d
    join frozen_content f
      on f.account_id = d.account_id
      and f.campaign_id = d.campaign_id
      and f.variant = ${frozenOfRecipient(sql`d`)}
    left join subscription s
      on s.account_id = ${account}
      and s.list_id = d.list_id
      and s.contact_id = d.contact_id
    where d.campaign_id = ${campaign}
      and d.seq = ${seq}`);
  return row && filled(row);
}

type Row = Frozen & {
  email: string;
  list: number;
  emailType: 'html' | 'text' | null;
  values: Record<string, string> | null;
  event?: Json | null;
};

/** An erased address is empty: the placeholder of the row is no value. */
function filled({ compiled, at, email, list, emailType, values, event }: Row): Frozen & { recipient: Recipient } {
  const recipient = {
    email: isErased(email) ? '' : email,
    list,
    emailType: emailType ?? 'html',
    values: values ?? {},
    ...(event == null ? {} : { data: { [eventTag]: event } }),
  };
  return { compiled, at, recipient };
}

/** What was found is kept for a moment: campaignLinkUpdate may correct a target. */
const cache = new WeakMap<App, Map<string, { target: string; at: number }>>();
const maxCached = 20_000;
const keptMs = 5_000;

export async function linkTarget(
  app: App,
  { account, campaign }: RecipientIds,
  no: number,
): Promise<string | undefined> {
  const known = cache.get(app) ?? new Map<string, { target: string; at: number }>();
  cache.set(app, known);
  const name = `${account}.${campaign}.${no}`;
  const cached = known.get(name);
  if (cached && performance.now() - cached.at < keptMs) return cached.target;
  const row = await app.db.row<{ target: string }>(sql`
    select target
    from link
    where account_id = ${account}
      and campaign_id = ${campaign}
      and no = ${no}`);
  if (row) {
    if (known.size >= maxCached) known.clear();
    known.set(name, { target: row.target, at: performance.now() });
  }
  return row?.target;
}

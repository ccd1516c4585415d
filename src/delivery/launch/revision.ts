// Publishes a corrected text as the next revision of a campaign that was launched before: freezes it, and moves the numbers of
// those who get it from the earlier revisions. All in the transaction of the launch task, so a crash leaves everything or nothing.
// docs/flows.md, Corrections.

import type { Context } from '../../base/context.ts';
import type { InlinePicture } from '../../campaigns/content/pictures/inline-images.ts';
import { monthOf } from '../../campaigns/model/month.ts';
import { revisionStep } from '../../campaigns/model/revision.ts';
import { type Sql, sql, type Tx } from '../../db/connect.ts';
import type { CampaignKey } from '../../db/keys.ts';
import { states } from '../../db/states.ts';
import { chunkChannel } from '../../jobs/channels.ts';
import { maybeSent } from '../ledger/chunk.ts';
import { rangesOf } from '../ledger/marked.ts';
import { finishIfDone } from '../outcomes/finish.ts';
import { freezeContent } from './freeze-content.ts';

/** Who gets it: those who come from now on, or also all whom no message was sent to. */
export type Publishes = 'next' | 'rest';

/** Freezes the present text of a launching campaign, whose row is locked, and resumes sending. */
export async function publishRevision(
  context: Pick<Context, 'app' | 'tx' | 'account'>,
  campaign: number,
  { publishes, pictures }: { publishes: Publishes; pictures: readonly InlinePicture[] },
): Promise<void> {
  const { tx, account } = context;
  const of = { account: account.id, campaign };
  const row = await tx.row<{ revision: number }>(sql`
    update campaign
    set status = 'sending', revision = revision + 1, corrected_at = null, publishes = null
    where account_id = ${of.account}
      and id = ${of.campaign}
    returning revision`);
  const { revision } = row!;
  await freezeContent(context, campaign, pictures, revision);
  await moveNumbers(tx, of, revision, publishes);
  await tx.run(sql`
    insert into campaign_revision (account_id, campaign_id, no, user_id, key_id)
    select ${of.account}::int, ${of.campaign}::int, ${revision}::int, e.user_id, e.key_id
    from (select 1) one
    left join lateral (
      select user_id, key_id
      from campaign_edit
      where account_id = ${of.account}
        and campaign_id = ${of.campaign}
      order by changed_at desc
      limit 1
    ) e on true`);
  // All that were left may have been in flight when it was paused.
  await finishIfDone(tx, of);
  await tx.run(sql`select pg_notify(${chunkChannel}, '')`);
}

/** Gives the new revision its numbers. No number is in two revisions, or in none. */
async function moveNumbers(tx: Tx, of: CampaignKey, revision: number, publishes: Publishes): Promise<void> {
  // Nothing numbers or marks recipients between the next statements and the commit.
  await tx.run(sql`
    select from occasion_plan where account_id = ${of.account} and campaign_id = ${of.campaign} for update`);
  await tx.run(sql`
    select from chunk where account_id = ${of.account} and campaign_id = ${of.campaign} and state <> 'done' order by no for update`);
  const first = (revision - 1) * revisionStep;
  const rest = publishes === 'rest' ? notGiven(of, first) : sql`'{}'::int4multirange`;
  await tx.run(sql`
    with getting as materialized (
      select ${rest} + int4multirange(int4range(1 + greatest(
          (select max(seq) from delivery where account_id = ${of.account} and campaign_id = ${of.campaign} and month = ${monthOf(of)}),
          (select last_seq from occasion_plan where account_id = ${of.account} and campaign_id = ${of.campaign}),
          0
        ), null)) as seqs
    ), part as materialized (
      -- Without variants everyone gets the only one; the languages of an autoresponder are with its recipients, and may be others than before.
      select f.variant, c.type = 'auto' as "one by one", coalesce(
          f.recipients, case when f.variant = 0 or c.type = 'auto' then '{[1,)}' else '{}' end::int4multirange
        ) as had
      from frozen_content f
      join campaign c on c.account_id = f.account_id and c.id = f.campaign_id
      where f.account_id = ${of.account}
        and f.campaign_id = ${of.campaign}
    ), moved as (
      select r.variant, case
          when r.variant < ${first} then r.had - g.seqs
          when r."one by one" then g.seqs
          else coalesce((
            select range_agg(piece)
            from part earlier, unnest(earlier.had * g.seqs) as piece
            where earlier.variant < ${first}
              and earlier.variant % ${revisionStep}::int = r.variant % ${revisionStep}::int
          ), '{}')
        end as has
      from part r, getting g
    )
    update frozen_content f
    set recipients = moved.has
    from moved
    where f.account_id = ${of.account}
      and f.campaign_id = ${of.campaign}
      and f.variant = moved.variant`);
}

/**
 * SQL: the numbers of the recipients whose message was never given to a relay, nor is in flight, and whose language the new revision
 * has. @param first its first variant
 */
const notGiven = (of: CampaignKey, first: number): Sql => sql`(
  coalesce((
    select ${rangesOf(sql`seq`)}
    from delivery
    where account_id = ${of.account}
      and campaign_id = ${of.campaign}
      and month = ${monthOf(of)}
      and state in (${states.queued}, ${states.later})
      and not ${maybeSent}
      and (
        language is null
        or language in (
          select language
          from frozen_content
          where account_id = ${of.account}
            and campaign_id = ${of.campaign}
            and variant >= ${first}
        )
      )
  ), '{}') - coalesce((
    select range_agg(r)
    from chunk k, unnest(k.marked) as r
    where k.account_id = ${of.account}
      and k.campaign_id = ${of.campaign}
  ), '{}')
)`;

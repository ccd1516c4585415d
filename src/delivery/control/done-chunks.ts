// Deletes chunks that are done. The engine looks only at those that wait or are leased; done ones are kept for a day, so
// that a worker that comes back late finds its chunk ended.

import { type Database, sql } from '../../db/connect.ts';
import type { CampaignKey } from '../../db/keys.ts';
import type { TaskContext } from '../../jobs/tasks.ts';

const portion = 5_000;

/** Deletes the done chunks of campaigns that ended a day ago, and those of the others that were due a day ago. */
export async function deleteDoneChunks({ app, signal }: TaskContext): Promise<void> {
  for (const { account, campaign } of await campaignsWithChunks(app.db))
    for (let gone = portion; gone === portion && !signal.aborted; )
      gone = await app.db.run(sql`
        delete from chunk
        where account_id = ${account}
          and campaign_id = ${campaign}
          and state = 'done'
          and no = any (array(
            select no
            from chunk
            where account_id = ${account}
              and campaign_id = ${campaign}
              and state = 'done'
              and due_at < now() - interval '1 day'
            order by no
            limit ${portion}
          ))`);
}

/** Each costs one look into an index, however many chunks it has. */
function campaignsWithChunks(db: Database): Promise<CampaignKey[]> {
  return db.rows(sql`
    select c.account_id as account, c.id as campaign
    from campaign c
    where (c.status in ('sending', 'paused') or (c.status = 'sent' and c.finished_at < now() - interval '1 day'))
      and exists (select from chunk k where k.account_id = c.account_id and k.campaign_id = c.id)
    order by c.account_id, c.id`);
}

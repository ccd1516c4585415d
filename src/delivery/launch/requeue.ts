// Launches that no job will make any more: the job gave up during a long outage, or was deleted from the queue. Without a job
// a campaign would be "launching" permanently, and no one would be notified.
import { sql } from '../../db/connect.ts';
import { enqueueSet } from '../../jobs/queue.ts';
import type { TaskContext } from '../../jobs/tasks.ts';

/** Adds a job for each campaign that has been launching, or whose audience has been frozen, for minutes and that has none. */
export async function requeueLaunches({ app }: TaskContext): Promise<void> {
  await enqueueSet(
    app.db,
    'launchCampaign',
    { account_id: sql`c.account_id`, campaign_id: sql`c.id` },
    sql`
      from campaign c
      where (
          c.status = 'launching'
          or c.status = 'sending' and exists (
            select from freezing f where f.account_id = c.account_id and f.campaign_id = c.id
          )
        )
        and c.changed_at < now() - interval '5 minutes'
        and not exists (
          select
          from graphile_worker._private_jobs j
          join graphile_worker._private_tasks k on k.id = j.task_id
          where k.identifier = 'launchCampaign'
            and (j.attempts < j.max_attempts or j.locked_at is not null)
            and (j.payload ->> 'account_id')::int = c.account_id
            and (j.payload ->> 'campaign_id')::int = c.id
        )`,
  );
}

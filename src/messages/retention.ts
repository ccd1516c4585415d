// How long single messages are kept: first their contents are deleted, later the messages with their recipients, a day at
// a time. Nothing is deleted before each of its recipients has a final state.
import { accountsThatForget } from '../accounts/account/retention.ts';
import type { App } from '../base/context.ts';
import { sql } from '../db/connect.ts';
import { enqueue } from '../jobs/queue.ts';
import type { TaskContext } from '../jobs/tasks.ts';
import { eraseSharedContents } from './erase.ts';

const atOnce = 500;

type Day = { account: number; campaign: number };

export async function purgeMessages(context: TaskContext): Promise<void> {
  const { app, signal } = context;
  await eraseSharedContents(app.db);
  for (const { id, days } of await accountsThatForget(app.db, 'keep_message_content_days'))
    for (const day of await daysBefore(app, id, days)) {
      if (signal.aborted) return;
      await forgetContents(app, day, signal);
    }
  for (const { id, days } of await accountsThatForget(app.db, 'keep_messages_days'))
    for (const day of await daysBefore(app, id, days)) {
      if (signal.aborted) return;
      await removeDay(app, day);
    }
}

/** The hidden campaigns of days that are older than this and have nothing left to send. */
function daysBefore(app: App, account: number, days: number): Promise<Day[]> {
  return app.db.rows<Day>(sql`
    select account_id as account, id as campaign
    from campaign
    where account_id = ${account}
      and type = 'message'
      and status = 'sent'
      and title < to_char((now() - make_interval(days => ${days})) at time zone 'UTC', 'YYYY-MM-DD')
    order by title`);
}

async function forgetContents(app: App, { account, campaign }: Day, signal: AbortSignal): Promise<void> {
  for (let count = atOnce; count === atOnce && !signal.aborted; )
    count = await app.db.run(sql`
      update message
      set content = null
      where account_id = ${account}
        and campaign_id = ${campaign}
        and no in (
          select no
          from message
          where account_id = ${account}
            and campaign_id = ${campaign}
            and content is not null
          limit ${atOnce}
        )`);
}

async function removeDay({ db }: App, { account, campaign }: Day): Promise<void> {
  await db.transaction(async (tx) => {
    for (const table of [sql`message_recipient`, sql`message`, sql`link`])
      await tx.run(sql`delete from ${table} where account_id = ${account} and campaign_id = ${campaign}`);
    await tx.run(sql`delete from campaign where account_id = ${account} and id = ${campaign}`);
    // Without the owner, nothing else finds the rest.
    await enqueue(tx, 'purgeCampaign', { account_id: account, campaign_id: campaign, forget: true });
  });
}

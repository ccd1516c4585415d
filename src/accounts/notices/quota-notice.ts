// Notifies the owner of an account once a month that its monthly quota is nearly used up, and once that it is.
import { message } from '../../base/messages.ts';
import { sql } from '../../db/connect.ts';
import type { TaskContext } from '../../jobs/tasks.ts';
import { foldSentCounts, sentThisMonth, thisMonth } from '../account/monthly-quota.ts';
import { noticeToAccount } from './account-notice.ts';

/** In percent of the quota. */
export const noticedShares = [80, 100] as const;

export async function watchQuotas({ app: { db } }: TaskContext): Promise<void> {
  await foldSentCounts(db);
  const accounts = await db.rows<{ id: number }>(sql`
    select id from account where monthly_quota is not null and active and test_of is null`);
  for (const { id } of accounts)
    await db.transaction(async (tx) => {
      // The mark and the notice are committed together, so that there is one of each.
      const row = await tx.row<{
        quota: number;
        used: number;
        month: string;
        before: number;
        name: string;
        nextAt: string;
      }>(sql`
        select a.monthly_quota as quota, ${sentThisMonth(sql`a`)} as used, ${thisMonth}::text as month, a.name,
          case when a.quota_noticed_month = ${thisMonth} then a.quota_noticed_percent else 0 end as before,
          to_char(${thisMonth} + interval '1 month', 'YYYY-MM-DD') as "nextAt"
        from account a
        where a.id = ${id}
          and a.monthly_quota is not null
        for no key update`);
      if (!row) return;
      const reached = noticedShares.findLast((share) => row.used * 100 >= share * row.quota);
      if (reached === undefined || reached <= row.before) return;
      await tx.run(sql`
        update account
        set quota_noticed_month = ${row.month}::date, quota_noticed_percent = ${reached}
        where id = ${id}`);
      const { name, used, quota, nextAt: day } = row;
      await noticeToAccount(
        tx,
        id,
        reached === 100
          ? {
              subject: message('account_notice.quota_used', { name }),
              paragraphs: [message('account_notice.quota_used_text', { used, quota, day })],
            }
          : {
              subject: message('account_notice.quota_near', { name, percent: reached }),
              paragraphs: [message('account_notice.quota_near_text', { used, quota, day })],
            },
      );
    });
}

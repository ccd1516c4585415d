// The demo's webhook: paused, since nobody is at its address, with a log of what it has sent.

import { formatDate } from '../api/date.ts';
import { type Queries, sql } from '../db/connect.ts';

export async function addDemoWebhook(tx: Queries, accountId: number, now: Date): Promise<void> {
  const url = 'https://crm.example.com/hooks/letters';
  const row = (await tx.row<{ id: number }>(sql`
    insert into webhook (account_id, title, url, events, status, total_events, last_event_at)
    values (${accountId}, 'Customer database', ${url}, ${['campaign.sent']}::text[], 'paused', 24, now() - interval '6 days')
    returning id`))!;
  const attempts = Array.from({ length: 14 }, (_, i) => {
    const at = new Date(now.getTime() - (6 * 24 + (14 - i) * 31) * 3_600_000);
    const fails = i === 5 || i === 6;
    return {
      at,
      try: i === 6 ? 2 : 1,
      event_ids: [`demo-${i === 6 ? 5 : i}`],
      body: JSON.stringify({
        events: [{ type: 'campaign.sent', data: { id: `demo-${i}`, title: 'A letter', ts: formatDate(at) } }],
      }),
      outcome: fails ? 'failed' : 'delivered',
      reason: fails ? 'HTTP 503' : '',
      status: fails ? 503 : 200,
      answer: fails ? 'down for maintenance' : 'thank you',
      ms: 60 + ((i * 37) % 90),
    };
  });
  await tx.run(sql`
    insert into webhook_attempt (account_id, webhook_id, at, kind, try, event_ids, url, headers, body, outcome, reason, status, answer, ms)
    select ${accountId}::int, ${row.id}::int, a.at, 'delivery', a.try, a.event_ids, ${url}::text,
      '{"content-type": "application/json", "user-agent": "Postrider"}'::jsonb, a.body, a.outcome, a.reason, a.status, a.answer, a.ms
    from jsonb_to_recordset(${JSON.stringify(attempts)}::jsonb) as a(at timestamptz, try int, event_ids text[], body text,
      outcome text, reason text, status int, answer text, ms int)`);
}

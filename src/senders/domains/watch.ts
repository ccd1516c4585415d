// Checks the sender domains regularly, so that new and removed records are noticed. Guarantees that one process at a
// time checks a domain, and that DNS without an answer changes nothing.

import { type AccountNotice, noticeToAccount } from '../../accounts/notices/account-notice.ts';
import type { App } from '../../base/context.ts';
import { message } from '../../base/messages.ts';
import { isUnavailable, sql } from '../../db/connect.ts';
import type { TaskContext } from '../../jobs/tasks.ts';
import { type Finding, keepFindings, lookUp, type SenderDomain, senderDomains } from './sender-domain.ts';

type DueDomain = { account: number; domain: string };

/** Domains that are taken at once, and looked at in parallel: DNS takes its time, and a run must get through thousands. */
const atOnce = 20;

/** Checks the DNS records of sender domains again, until none is due. */
export async function checkSenderDomains(context: TaskContext): Promise<void> {
  for (let taken = atOnce; taken === atOnce && !context.signal.aborted; ) {
    const due = await takeDue(context.app);
    taken = due.length;
    await Promise.all(due.map((domain) => checkOrLog(context, domain)));
  }
}

/** One domain that cannot be checked does not keep the others waiting. @throws when the database is unavailable */
async function checkOrLog(context: TaskContext, due: DueDomain): Promise<void> {
  try {
    await check(context, due);
  } catch (error) {
    if (isUnavailable(error)) throw error;
    context.log.error({ err: error, domain: due.domain }, 'the check of a sender domain failed; retrying');
  }
}

async function check({ app, log }: TaskContext, due: DueDomain): Promise<void> {
  const [domain] = await senderDomains(app.db, due.account, due.domain);
  if (!domain) return;
  const findings = await lookUp(app, domain);
  const status = await app.db.transaction(async (tx) => {
    const now = await keepFindings(tx, due.account, domain.id, findings);
    if (domain.status === 'active' && now === 'broken') {
      const wrong = findings.filter((finding) => finding.name === 'dkim' && finding.state !== 'ok');
      await noticeToAccount(tx, due.account, {
        subject: message('account_notice.dkim_lost', { domain: domain.domain }),
        paragraphs: [
          message('account_notice.dkim_lost_text', { domain: domain.domain }),
          ...wrong.map(({ record, expected, found }) =>
            message('account_notice.dkim_lost_record', { record, expected, found: found || '–' }),
          ),
        ],
      });
    }
    if (domain.trackingReady && findings.some(isTrackingLost))
      await noticeToAccount(tx, due.account, trackingNotice(app, domain));
    return now;
  });
  if (status !== domain.status) log.info({ domain: domain.domain, status }, 'a sender domain has changed');
}

const isTrackingLost = ({ name, state }: Finding) => name === 'tracking' && (state === 'missing' || state === 'wrong');

function trackingNotice(app: App, { domain, trackingHost }: SenderDomain): AccountNotice {
  return {
    subject: message('account_notice.tracking_lost', { domain }),
    paragraphs: [message('account_notice.tracking_lost_text', { host: trackingHost ?? '', url: app.baseUrl })],
  };
}

/**
 * The domains whose check is due. The same statement marks them as checked, so a second run takes others. An active domain is
 * checked every three hours; others every ten minutes for three days after they
 * were added or broke, then every six hours. Those that wait for their records come first.
 */
async function takeDue(app: App): Promise<DueDomain[]> {
  return app.db.rows<DueDomain>(sql`
    update sender_domain d
    set checked_at = now()
    from (
      select account_id, id
      from sender_domain
      where checked_at is null
        or checked_at < now() - case
          when active then interval '3 hours'
          when coalesce(broken_at, created_at) > now() - interval '3 days' then interval '9 minutes'
          else interval '6 hours'
        end
      order by active, checked_at nulls first
      limit ${atOnce}
      for update skip locked
    ) as due
    where d.account_id = due.account_id
      and d.id = due.id
    returning d.account_id as account, d.domain`);
}

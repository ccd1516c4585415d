// Reads the facts about a campaign's message from the database and checks them with check-mail.ts.
import { brokenSegments } from '../../audience/segments/references.ts';
import type { Context } from '../../base/context.ts';
import { message } from '../../base/messages.ts';
import { type Queries, sql } from '../../db/connect.ts';
import { compileCampaign } from '../compile/compile-campaign.ts';
import type { Compiled } from '../compile/compiled.ts';
import { checkMail, type Finding } from './check-mail.ts';

/** The findings that make sending impossible: an unusable sender, or a segment that no longer determines recipients. */
export async function checkErrors(
  context: Pick<Context, 'app' | 'account' | 'tx'>,
  campaignId: number,
): Promise<Finding[]> {
  return (await mailFindings(context, campaignId)).findings.filter(({ level }) => level === 'error');
}

/** Findings about the message, and the compiled message. */
export async function mailFindings(
  context: Pick<Context, 'app' | 'account' | 'tx'>,
  campaignId: number,
): Promise<{ findings: Finding[]; compiled: Compiled }> {
  const { tx, account, app } = context;
  const compiled = (await compileCampaign(tx, app, account, campaignId))!;
  const row = (await tx.row<Row>(sql`
    select type, html, plain, import_warnings as "importWarnings", auto_footer as "autoFooter", authenticate,
      exists (
        select from sender_domain d
        where d.account_id = c.account_id and d.active and d.domain = lower(split_part(${compiled.fromEmail}, '@', 2))
      ) as "domainActive",
      exists (select from notice_source s where s.account_id = c.account_id)
        or exists (select from bounce_mailbox m where m.account_id = c.account_id) as "hasSource"
    from campaign c
    where account_id = ${account.id}
      and id = ${campaignId}`))!;
  const addressKnown = compiled.lists.length > 0 && compiled.lists.every((list) => list.address.trim() !== '');
  const seesBounces = app.config.bounceDomain !== '' || row.hasSource;
  const findings = [
    ...checkMail({ ...row, compiled, addressKnown, seesBounces }),
    ...(await segmentFindings(context, campaignId)),
  ];
  return { compiled, findings };
}

/** A segment with a condition on a deleted campaign or list matches no one or everyone, which is never intended. */
async function segmentFindings(of: { tx: Queries; account: { id: number } }, campaignId: number): Promise<Finding[]> {
  return (await brokenSegments(of, campaignId)).map(({ title, missing }) => ({
    level: 'error',
    code: 'segment_gone',
    message: message('check.segment_gone', { title }),
    found: missing,
  }));
}

type Row = {
  type: 'html' | 'plain' | 'auto';
  html: string;
  plain: string;
  importWarnings: { code: string; message: string }[];
  autoFooter: boolean;
  authenticate: boolean;
  domainActive: boolean;
  /** Of returned mail. */
  hasSource: boolean;
};

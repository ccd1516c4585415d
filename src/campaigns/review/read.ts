// The state of an approval, with what has changed since the last answer, and the list of what waits.
import { mayDo } from '../../accounts/keys/permissions.ts';
import type { Context } from '../../base/context.ts';
import { message, readMessage, renderMessage, renderPacked } from '../../base/messages.ts';
import { type Sql, sql } from '../../db/connect.ts';
import { formatId, parseId } from '../../db/ids.ts';
import type { CampaignKey } from '../../db/keys.ts';
import { formatDate } from '../../method/date.ts';
import type { Page } from '../../method/paging.ts';
import { type Change, changesBetween } from '../approval/difference.ts';
import { type ApprovalState, comparedContents } from '../approval/record.ts';
import { type Contents, isSame, type Members, readVersion } from '../approval/version.ts';
import { approvalRule, approversOf } from '../approval/whose.ts';
import { authorName } from '../draft/editors/edits.ts';
import { needCampaignId } from '../model/campaign.ts';

/** @throws Fault CAMPAIGN_UNKNOWN */
export async function showApproval(context: Context, { cid, changes }: { cid: string; changes: boolean }) {
  const { tx, account, caller } = context;
  const of = { account: account.id, campaign: await needCampaignId(context, cid) };
  const rule = approvalRule(account);
  const row = await recordOf(context, of);
  const version = await readVersion(tx, of);
  const approvers = await approversOf(context, of, row);
  const compared = changes ? await comparedContents(tx, of) : undefined;
  const answered = row?.state === 'approved' ? row.approvedVersion : row?.askedVersion;
  const may = mayDo(caller, 'campaigns:send');
  return {
    rule,
    state: row?.state ?? ('none' as const),
    needed: rule === 'everyone' || !may,
    version: version.name,
    changed: answered !== null && answered !== undefined && !isSame(answered, version),
    asked_at: formatDate(row?.askedAt ?? null),
    asked_by: row?.askedBy ?? '',
    note: row?.note ?? '',
    wanted_time: formatDate(row?.wantedAt ?? null),
    answered_at: formatDate(row?.answeredAt ?? null),
    answered_by: row?.answeredBy ?? '',
    answer: row?.answer ?? '',
    reason: row ? renderPacked(row.reason, context.language) : '',
    approvers: approvers.map(({ name, email }) => name || email),
    may_approve: may && caller.kind === 'user' && approvers.some(({ id }) => id === caller.userId),
    compared_at: formatDate(compared?.at ?? null),
    changes: compared
      ? (await changesBetween(compared.contents, version)).filter(isShownTo(context, compared.contents)).map(withLimits)
      : [],
    steps: await stepsOf(context, of),
  };
}

/** The approvals of campaigns that are not sent yet, those that wait longest first. */
export async function listApprovals(
  context: Context,
  { state, start, limit }: Page & { state?: ApprovalState | undefined },
) {
  const { tx, account } = context;
  const found = sql`
    from campaign_approval a
    join campaign c on c.account_id = a.account_id and c.id = a.campaign_id
    where a.account_id = ${account.id}
      and c.status <> 'sent'
      and ${state ? sql`a.state = ${state}` : sql`true`}`;
  const count = await tx.row<{ total: number }>(sql`select count(*)::int as total ${found}`);
  const rows = await tx.rows<Waiting>(sql`
    select c.id, coalesce(nullif(c.title, ''), c.subject) as title, c.status as delivery_status, a.state, a.asked_at as "askedAt",
      ${asker(sql`a`)} as asked_by, a.note, a.wanted_at as "wantedAt"
    ${found}
    order by coalesce(a.asked_at, a.answered_at), c.id
    limit ${limit}
    offset ${start * limit}`);
  return {
    total: count!.total,
    data: rows.map(({ id, askedAt, wantedAt, ...row }) => ({
      cid: formatId(id),
      ...row,
      asked_at: formatDate(askedAt),
      wanted_time: formatDate(wantedAt),
    })),
  };
}

/** What waits for the answer of the caller, and the answers that their own campaigns wait with, for Home. */
export async function approvalsInNeed(context: Context) {
  const { tx, account, caller, language } = context;
  const may = mayDo(caller, 'campaigns:send');
  const own = caller.kind === 'user' ? caller.userId : null;
  const rows = await tx.rows<{ id: number; title: string; state: 'asked' | 'changes' | 'refused'; who: string }>(sql`
    select c.id, coalesce(nullif(c.title, ''), c.subject) as title, a.state,
      case when a.state = 'asked' then ${asker(sql`a`)} else ${answerer(sql`a`)} end as who
    from campaign_approval a
    join campaign c on c.account_id = a.account_id and c.id = a.campaign_id
    where a.account_id = ${account.id}
      and c.status <> 'sent'
      and case
        when a.state = 'asked' then ${may} and a.asked_user_id is distinct from ${own}::int
        else a.state in ('changes', 'refused') and a.asked_user_id = ${own}::int
      end
    order by coalesce(a.answered_at, a.asked_at), c.id
    limit 10`);
  return rows.map(({ id, title, state, who }) => ({
    kind: 'approval' as const,
    id: formatId(id),
    name: title,
    detail: renderMessage(message(`approval.home.${state}`, { who: who || '–' }), language),
    count: 0,
  }));
}

/** SQL: the name of the person or key of two columns of a row. */
const nameOf = (row: Sql, user: Sql, key: Sql): Sql =>
  sql`(select ${authorName(sql`e`)} from (select ${row}.account_id, ${row}.${user} as user_id, ${row}.${key} as key_id) e)`;
const asker = (row: Sql): Sql => nameOf(row, sql`asked_user_id`, sql`asked_key_id`);
const answerer = (row: Sql): Sql => nameOf(row, sql`answered_user_id`, sql`answered_key_id`);

type Waiting = {
  id: number;
  title: string;
  delivery_status: 'draft' | 'scheduled' | 'launching' | 'sending' | 'paused';
  state: ApprovalState;
  askedAt: Date | null;
  asked_by: string;
  note: string;
  wantedAt: Date | null;
};

type Shown = {
  state: ApprovalState;
  askedAt: Date | null;
  askedUser: number | null;
  askedKey: number | null;
  askedBy: string;
  note: string;
  wantedAt: Date | null;
  askedVersion: string | null;
  answeredAt: Date | null;
  answeredBy: string;
  answer: string;
  approvedVersion: string | null;
  reason: string;
};

function recordOf({ tx }: Context, of: CampaignKey): Promise<Shown | undefined> {
  return tx.row<Shown>(sql`
    select state, asked_at as "askedAt", asked_user_id as "askedUser", asked_key_id as "askedKey", ${asker(sql`a`)} as "askedBy", note,
      wanted_at as "wantedAt", asked_version as "askedVersion", answered_at as "answeredAt", ${answerer(sql`a`)} as "answeredBy", answer,
      approved_version as "approvedVersion", reason
    from campaign_approval a
    where account_id = ${of.account}
      and campaign_id = ${of.campaign}`);
}

async function stepsOf({ tx, language }: Context, of: CampaignKey) {
  const rows = await tx.rows<{ what: ApprovalState; at: Date; by: string; note: string }>(sql`
    select what, at, ${authorName(sql`s`)} as by, note
    from campaign_approval_step s
    where account_id = ${of.account}
      and campaign_id = ${of.campaign}
    order by no desc
    limit 50`);
  return rows.map(({ at, note, ...row }) => ({
    ...row,
    at: formatDate(at),
    note: readMessage(note) ? renderPacked(note, language) : note,
  }));
}

/**
 * What a caller with a set of lists sees of the changes: not the conditions of segments, which may name lists and campaigns that they do
 * not see, and nothing of the lists that the campaign went to before, if one of them is not theirs.
 */
function isShownTo({ caller }: Context, { audience }: Contents): (change: Change) => boolean {
  const { lists } = caller;
  if (lists === null) return () => true;
  const wentTo = ((audience['list_id'] ?? []) as Members[]).map(({ id }) => id);
  const leftOut = (audience['exclude_list_id'] ?? []) as Members[string][];
  const wasOwn = [...wentTo, ...leftOut].every((id) => lists.includes(parseId(String(id))));
  return ({ member }) => member !== 'segment_id' && member !== 'exclude_segment_id' && (wasOwn || !ofLists.has(member));
}

/** Members of a version that are of its lists. */
const ofLists: ReadonlySet<string> = new Set(['list_id', 'exclude_list_id', 'fields']);

const maxShown = 2_000;
const withLimits = (change: Change): Change => ({
  ...change,
  before: change.before.slice(0, maxShown),
  after: change.after.slice(0, maxShown),
});

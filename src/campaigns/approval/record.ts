// The record of an approval: its present state and its history. Every change of it locks the campaign first, then the record.
//
//   none ── ask ──▶ asked ──┬── approve ──▶ approved ── changed, or withdrawn ──▶ withdrawn ── ask ──▶ asked
//                    ▲      ├── ask for changes ──▶ changes ── ask ──▶ asked
//                    │      ├── refuse ──▶ refused ── ask ──▶ asked
//                    └──────┴── withdraw ──▶ withdrawn
//
// One who may send approves by sending, where the account lets them (needed.ts): approved, without a question.
import type { Caller } from '../../base/context.ts';
import { type Message, packMessage } from '../../base/messages.ts';
import { type Queries, sql, type Tx } from '../../db/connect.ts';
import { jsonb } from '../../db/jsonb.ts';
import type { CampaignKey } from '../../db/keys.ts';
import type { Contents, Version } from './version.ts';

export const approvalStates = ['asked', 'approved', 'changes', 'refused', 'withdrawn'] as const;
export type ApprovalState = (typeof approvalStates)[number];

export type Approval = {
  state: ApprovalState;
  askedAt: Date | null;
  askedUser: number | null;
  askedKey: number | null;
  note: string;
  wantedAt: Date | null;
  askedVersion: string | null;
  answeredUser: number | null;
  approvedVersion: string | null;
};

/** The record of a campaign, locked until the end of the transaction; undefined if there never was a question. */
export function lockApproval(tx: Tx, of: CampaignKey): Promise<Approval | undefined> {
  return tx.row<Approval>(sql`
    select state, asked_at as "askedAt", asked_user_id as "askedUser", asked_key_id as "askedKey", note, wanted_at as "wantedAt",
      asked_version as "askedVersion", answered_user_id as "answeredUser", approved_version as "approvedVersion"
    from campaign_approval
    where account_id = ${of.account}
      and campaign_id = ${of.campaign}
    for update`);
}

/** Who did a step; both are null for the program itself. */
export type By = { user: number | null; key: number | null };

export const byCaller = (caller: Caller): By => ({
  user: caller.kind === 'user' ? caller.userId : null,
  key: caller.kind === 'key' ? caller.keyId : null,
});

export async function recordAsked(
  tx: Tx,
  of: CampaignKey,
  asked: { by: By; note: string; wantedAt: Date | null; version: Version },
): Promise<void> {
  const { by, note, wantedAt, version } = asked;
  await tx.run(sql`
    insert into campaign_approval (account_id, campaign_id, state, asked_at, asked_user_id, asked_key_id, note, wanted_at,
      asked_version, compared, compared_at)
    values (${of.account}, ${of.campaign}, 'asked', now(), ${by.user}, ${by.key}, ${note}, ${wantedAt}, ${version.name},
      ${textOf(version)}, now())
    on conflict (account_id, campaign_id) do update
    set state = 'asked', asked_at = now(), asked_user_id = excluded.asked_user_id, asked_key_id = excluded.asked_key_id,
      note = excluded.note, wanted_at = excluded.wanted_at, asked_version = excluded.asked_version, answered_at = null,
      answered_user_id = null, answered_key_id = null, answer = '', approved_version = null, reason = ''`);
  await addStep(tx, of, { what: 'asked', by, note, version: version.name });
}

/** @param wantedAt when an approved campaign is to be sent; null: at any time */
export async function recordAnswer(
  tx: Tx,
  of: CampaignKey,
  answer: {
    state: 'approved' | 'changes' | 'refused';
    by: By;
    note: string;
    wantedAt: Date | null;
    version: Version;
  },
): Promise<void> {
  const { state, by, note, wantedAt, version } = answer;
  const approved = state === 'approved' ? version.name : null;
  const contents = textOf(version);
  await tx.run(sql`
    insert into campaign_approval (account_id, campaign_id, state, wanted_at, answered_at, answered_user_id, answered_key_id, answer,
      approved_version, compared, compared_at)
    values (${of.account}, ${of.campaign}, ${state}, ${wantedAt}, now(), ${by.user}, ${by.key}, ${note}, ${approved}, ${contents}, now())
    on conflict (account_id, campaign_id) do update
    set state = excluded.state, wanted_at = excluded.wanted_at, answered_at = now(), answered_user_id = excluded.answered_user_id,
      answered_key_id = excluded.answered_key_id, answer = excluded.answer, approved_version = excluded.approved_version,
      compared = excluded.compared, compared_at = now(), reason = ''`);
  await addStep(tx, of, { what: state, by, note, version: version.name });
}

/** Ends a question or an approval. @param reason none if a person withdraws it */
export async function recordWithdrawn(tx: Tx, of: CampaignKey, by: By, reason?: Message): Promise<void> {
  const packed = reason ? packMessage(reason) : '';
  await tx.run(sql`
    update campaign_approval
    set state = 'withdrawn', reason = ${packed}
    where account_id = ${of.account}
      and campaign_id = ${of.campaign}`);
  await addStep(tx, of, { what: 'withdrawn', by, note: packed, version: '' });
}

/** What the campaign was when it was answered last, or asked about first; undefined before. */
export async function comparedContents(
  db: Queries,
  of: CampaignKey,
): Promise<{ contents: Contents; at: Date } | undefined> {
  const row = await db.row<{ text: string | null; at: Date }>(sql`
    select compared as text, compared_at as at
    from campaign_approval
    where account_id = ${of.account}
      and campaign_id = ${of.campaign}`);
  return row && row.text !== null ? { contents: JSON.parse(row.text) as Contents, at: row.at } : undefined;
}

const textOf = ({ content, audience }: Version): string => jsonb({ content, audience });

async function addStep(
  tx: Tx,
  of: CampaignKey,
  { what, by, note, version }: { what: ApprovalState; by: By; note: string; version: string },
): Promise<void> {
  await tx.run(sql`
    insert into campaign_approval_step (account_id, campaign_id, no, what, at, user_id, key_id, note, version)
    select ${of.account}::int, ${of.campaign}::int, coalesce(max(no), 0) + 1, ${what}, now(), ${by.user}::int, ${by.key}::int, ${note},
      ${version}
    from campaign_approval_step
    where account_id = ${of.account}
      and campaign_id = ${of.campaign}`);
}

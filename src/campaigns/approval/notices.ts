// The emails about an approval: to those who may give it, and to the one who asked. Sent when the transaction of their cause commits.
import { type PersonOfAccount, peopleWhoMay } from '../../accounts/people/who-may.ts';
import type { Context } from '../../base/context.ts';
import { languageOf, type Message, message, renderMessage } from '../../base/messages.ts';
import { sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import type { CampaignKey } from '../../db/keys.ts';
import { enqueue } from '../../jobs/queue.ts';
import { formatDate } from '../../method/date.ts';
import type { Approval } from './record.ts';

type About = Pick<Context, 'tx' | 'account' | 'app' | 'caller'>;
type Asker = Pick<Approval, 'askedUser' | 'askedKey'>;

/** Notifies the people who may approve that they are asked. @param who the name of the one who asks */
export async function noticeOfQuestion(
  context: About,
  of: CampaignKey,
  people: readonly PersonOfAccount[],
  asked: { who: string; note: string; wantedAt: Date | null; reason?: Message | null },
): Promise<void> {
  const { who, note, wantedAt, reason } = asked;
  const title = await titleOf(context, of);
  for (const person of people)
    await send(context, person, message('approval_notice.asked', { title }), [
      who === ''
        ? message('approval_notice.asked_by_program', { title })
        : message('approval_notice.asked_text', { title, who }),
      wantedAt === null
        ? message('approval_notice.wanted_now')
        : message('approval_notice.wanted_at', { at: formatDate(wantedAt) }),
      ...(reason ? [message('account_notice.reason', { reason })] : []),
      ...(note === '' ? [] : [note]),
      message('approval_notice.asked_next'),
      addressOf(context, of),
    ]);
}

/** Notifies the one who asked of the answer. @param sentAt when it is sent: null for at once, undefined if the answer does not send it */
export async function noticeOfAnswer(
  context: About,
  of: CampaignKey,
  asker: Asker,
  answer: { state: 'approved' | 'changes' | 'refused'; note: string; sentAt: Date | null | undefined },
): Promise<void> {
  const person = await askerOf(context, of, asker);
  if (!person || (context.caller.kind === 'user' && person.id === context.caller.userId)) return;
  const { state, note, sentAt } = answer;
  const title = await titleOf(context, of);
  const who = await nameOfCaller(context);
  await send(context, person, message(`approval_notice.${state}`, { title }), [
    message(`approval_notice.${state}_text`, { title, who }),
    ...(sentAt ? [message('approval_notice.sent_at', { at: formatDate(sentAt) })] : []),
    ...(note === '' ? [] : [note]),
    addressOf(context, of),
  ]);
}

/** Notifies the one who asked and the one who approved that the approval ended by a change of someone else. */
export async function noticeWithdrawn(
  context: About,
  of: CampaignKey,
  approval: Asker & Pick<Approval, 'answeredUser'>,
): Promise<void> {
  const title = await titleOf(context, of);
  const approver = await personOf(context, of, approval.answeredUser);
  const asker = await askerOf(context, of, approval);
  const own = context.caller.kind === 'user' ? context.caller.userId : null;
  const people = [approver, asker].filter((person) => person !== undefined).filter(({ id }) => id !== own);
  for (const person of new Map(people.map((one) => [one.id, one])).values())
    await send(context, person, message('approval_notice.withdrawn', { title }), [
      message('approval_notice.withdrawn_text', { title, who: await nameOfCaller(context) }),
      addressOf(context, of),
    ]);
}

/** The name of the caller: of the person or key; '' for the program itself. */
export async function nameOfCaller({ tx, account, caller }: Pick<About, 'tx' | 'account' | 'caller'>): Promise<string> {
  if (caller.kind === 'system') return '';
  const row = await tx.row<{ name: string }>(
    caller.kind === 'user'
      ? sql`select coalesce(nullif(name, ''), email) as name from app_user where id = ${caller.userId}`
      : sql`
          select concat_ws(' …', nullif(label, ''), hint) as name
          from api_key
          where account_id = ${account.id} and id = ${caller.keyId}`,
  );
  return row?.name ?? '';
}

/** The person who asked, also by a key of theirs, if they are still in the account. */
async function askerOf(context: About, of: CampaignKey, { askedUser, askedKey }: Asker) {
  if (askedUser !== null || askedKey === null) return personOf(context, of, askedUser);
  const key = await context.tx.row<{ user: number | null }>(sql`
    select user_id as "user" from api_key where account_id = ${of.account} and id = ${askedKey}`);
  return personOf(context, of, key?.user ?? null);
}

async function personOf({ tx }: About, of: CampaignKey, id: number | null): Promise<PersonOfAccount | undefined> {
  if (id === null) return undefined;
  return (await peopleWhoMay(tx, of.account, 'account:read')).find((person) => person.id === id);
}

async function titleOf({ tx }: About, of: CampaignKey): Promise<string> {
  const row = await tx.row<{ title: string }>(sql`
    select coalesce(nullif(title, ''), subject) as title
    from campaign
    where account_id = ${of.account}
      and id = ${of.campaign}`);
  return row?.title ?? '';
}

const addressOf = ({ app }: About, of: CampaignKey) => `${app.baseUrl}/app/campaigns/${formatId(of.campaign)}/approval`;

async function send(
  { tx, account }: About,
  person: PersonOfAccount,
  subject: Message,
  paragraphs: readonly (Message | string)[],
): Promise<void> {
  const language = languageOf(person.language);
  const texts = paragraphs.map((part) => (typeof part === 'string' ? part : renderMessage(part, language)));
  await enqueue(tx, 'sendAccountNotice', {
    account_id: account.id,
    to: person.email,
    subject: renderMessage(subject, language),
    text: `${texts.join('\n\n')}\n`,
  });
}

// Adding, changing and deleting the senders of an account. A sender that a list or an unsent campaign uses is not deleted;
// the fault names the uses.
import type { Context } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { type Message, message, renderMessage } from '../../base/messages.ts';
import { sql, type Tx } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import { formatDate } from '../../method/date.ts';
import { readLine } from '../../method/params.ts';
import { adviceOf, needSender, needSenderAddress, type Sender, sendersOf, unsentStates } from './sender.ts';

/** Senders of an account at most. */
const maxSenders = 200;
/** Uses that a fault names. */
const maxNamedUses = 5;
const maxNameLength = 200;

export async function listSenders({ tx, account, language }: Context) {
  return (await sendersOf(tx, account.id)).map((sender) => recordOf(sender, language));
}

export async function createSender(context: Context, given: { name: string; email: string }) {
  const { tx, account, language } = context;
  const email = await needSenderAddress(context, given.email, 'email');
  const name = given.name.trim();
  const counted = await tx.row<{ count: number }>(sql`
    select count(*)::int as count from sender where account_id = ${account.id}`);
  if (counted!.count >= maxSenders)
    throw fault('SENDER_INVALID', 'sender.too_many', { member: 'email', count: maxSenders });
  const taken = await tx.row(sql`
    select id
    from sender
    where account_id = ${account.id}
      and lower(email) = lower(${email})
      and name = ${name}`);
  if (taken) throw fault('SENDER_INVALID', 'sender.exists', { member: 'email', name, email });
  const made = await addSender(tx, account.id, { name, email });
  if (made === undefined) throw fault('SENDER_INVALID', 'sender.exists', { member: 'email', name, email });
  const [sender] = await sendersOf(tx, account.id, made);
  return recordOf(sender!, language);
}

/** Adds a sender; undefined when the account has it already. */
export async function addSender(
  tx: Tx,
  accountId: number,
  { name, email }: { name: string; email: string },
): Promise<number | undefined> {
  const row = await tx.row<{ id: number }>(sql`
    insert into sender (account_id, name, email)
    values (${accountId}, ${name}, ${email})
    on conflict (account_id, email, name) do nothing
    returning id`);
  return row?.id;
}

export async function changeSender(
  context: Context,
  { id, name: setting, value }: { id: string; name: string; value: string },
): Promise<true> {
  const { tx, account } = context;
  const before = await needSender(context, id);
  const after = { name: before.name, email: before.email };
  if (setting.toLowerCase() === 'name') after.name = readName(value);
  else if (setting.toLowerCase() === 'email') after.email = await needSenderAddress(context, value, 'email');
  else throw fault('SENDER_INVALID', 'sender.setting', { member: 'name' });
  const taken = await tx.row(sql`
    select id
    from sender
    where account_id = ${account.id}
      and lower(email) = lower(${after.email})
      and name = ${after.name}
      and id <> ${before.id}`);
  if (taken) throw fault('SENDER_INVALID', 'sender.exists', { member: setting.toLowerCase(), ...after });
  await tx.run(sql`
    update sender
    set name = ${after.name}, email = ${after.email}
    where account_id = ${account.id}
      and id = ${before.id}`);
  await tx.run(sql`
    update list
    set default_from_name = case when default_from_name = ${before.name} then ${after.name} else default_from_name end,
      default_from_email = case when default_from_email = ${before.email} then ${after.email} else default_from_email end
    where account_id = ${account.id}
      and sender_id = ${before.id}`);
  return true;
}

/** @throws Fault SENDER_INVALID */
function readName(value: string): string {
  const name = readLine(value, 'name').trim();
  if (name === '') throw fault('SENDER_INVALID', 'parameter.empty', { member: 'name' });
  if (name.length > maxNameLength)
    throw fault('SENDER_INVALID', 'parameter.too_long', { member: 'name', count: maxNameLength });
  return name;
}

/** @throws Fault SENDER_UNKNOWN, SENDER_IN_USE */
export async function deleteSender(context: Context, { id }: { id: string }): Promise<true> {
  const { tx, account } = context;
  const sender = await needSender(context, id);
  const uses = await usesOf(context, sender);
  if (uses.length > 0) throw fault('SENDER_IN_USE', 'sender.in_use', { member: 'id', email: sender.email, uses });
  await tx.run(sql`delete from sender where account_id = ${account.id} and id = ${sender.id}`);
  return true;
}

/** The lists and campaigns that use a sender. */
async function usesOf({ tx, account }: Context, sender: { id: number; email: string }): Promise<Message[]> {
  const rows = await tx.rows<{ kind: 'list' | 'campaign'; name: string; all: number }>(sql`
    select kind, name, (count(*) over ())::int as all
    from (
      select 'list' as kind, l.name, l.created_at
      from list l
      where l.account_id = ${account.id}
        and l.sender_id = ${sender.id}
      union all
      select 'campaign', coalesce(nullif(c.title, ''), c.subject), c.created_at
      from campaign c
      where c.account_id = ${account.id}
        and lower(c.sender) = lower(${sender.email})
        and c.status = any (${unsentStates}::text[])
        and not exists (
          select from sender s
          where s.account_id = ${account.id}
            and s.email = ${sender.email}
            and s.id <> ${sender.id}
        )
    ) as uses
    order by kind desc, created_at
    limit ${maxNamedUses}`);
  const named: Message[] = rows.map(({ kind, name }) =>
    message(kind === 'list' ? 'sender.use_list' : 'sender.use_campaign', { name }),
  );
  const more = (rows[0]?.all ?? 0) - rows.length;
  if (more > 0) named.push(message('sender.use_more', { count: more }));
  return named;
}

/** A sender as the methods show it. */
function recordOf(sender: Sender, language: Context['language']) {
  const advice = adviceOf(sender);
  return {
    id: formatId(sender.id),
    name: sender.name,
    email: sender.email,
    domain: sender.domain,
    domain_status: sender.domainState,
    advice: advice ? renderMessage(advice, language) : '',
    lists: sender.lists,
    campaigns: sender.campaigns,
    created_at: formatDate(sender.createdAt),
  };
}

// The methods about bounce mailboxes. A mailbox is opened before it is saved; its password is never answered.
import { z } from 'zod';
import type { Context, PrepareContext } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { sql } from '../../db/connect.ts';
import { formatId, parseId } from '../../db/ids.ts';
import { formatDate } from '../../method/date.ts';
import { method } from '../../method/method.ts';
import { boolean, filledLine, id, integer, line, oneOf, params, text } from '../../method/params.ts';
import { readMailbox, sealedPassword } from './mailbox.ts';
import { type Mailbox, MailboxProblem } from './protocol.ts';
import { queueReading } from './read.ts';

const maxMailboxes = 10;
const securities = ['tls', 'starttls', 'none'] as const;

const mailboxRecord = z.object({
  id: z.string(),
  title: z.string(),
  protocol: z.string(),
  host: z.string(),
  port: z.int(),
  security: z.string(),
  user_name: z.string(),
  folder: z.string(),
  remove: z.boolean(),
  created_at: z.string(),
  read_at: z.string().meta({ description: 'The last reading, successful or not.' }),
  heard_at: z.string().meta({ description: 'The last notice about a message of this account.' }),
  messages: z.int().meta({ description: 'Messages read.' }),
  matched: z.int().meta({ description: 'Notices about messages of this account.' }),
  unknown: z
    .int()
    .meta({ description: 'Bounces and complaints about no message of this account; they stay and have no effect.' }),
  problem: z.string().meta({ description: 'Why the last reading failed, in English; empty if it did not.' }),
});

const mailboxId = id('The mailbox.');

export const bounceMailboxMethods = [
  method({
    name: 'bounceMailboxes',
    group: 'account',
    summary: 'Lists the mailboxes that are read for bounces and complaints, and when a notice was last found.',
    params: params({}),
    returns: z.array(mailboxRecord),
    faults: [],
    scope: 'admin',
    reads: true,
    example: { params: {} },
    run: listMailboxes,
  }),
  method({
    name: 'bounceMailboxCreate',
    group: 'account',
    summary: 'Adds a mailbox that bounces come to; it is read every minute.',
    description:
      'The mailbox is opened first: nothing is saved when the server refuses that. A server that cannot be reached is tried again every minute, and problem has the reason. A notice counts if it returns a message of this account, or names its Message-ID and its recipient. Notices that were counted are deleted from the mailbox unless remove is false; all other messages stay where they are, unread.',
    params: params({
      protocol: oneOf('The protocol.', ['imap', 'pop3']),
      host: filledLine('The mail server.', 253),
      port: integer('Default 993 (IMAP) or 995 (POP3); without security tls 143 or 110.', 1, 65_535).optional(),
      security: oneOf('tls (default), starttls or none.', securities).optional(),
      user_name: filledLine('The user name.', 320),
      password: text('The password.', 1_000),
      folder: line('The folder of IMAP; default INBOX.', 255).optional(),
      remove: boolean('Whether notices are deleted from the mailbox after they were counted; default true.').optional(),
      title: line('A name for it.', 100).optional(),
    }),
    returns: z.string(),
    faults: ['BOUNCE_MAILBOX_INVALID'],
    scope: 'admin',
    confirm: () => true,
    example: {
      params: {
        protocol: 'imap',
        host: 'mail.example.com',
        user_name: 'bounces@example.com',
        password: 'correct horse',
      },
    },
    prepare: openFirst,
    run: createMailbox,
  }),
  method({
    name: 'bounceMailboxRead',
    group: 'account',
    summary: 'Reads a bounce mailbox as soon as a worker is free.',
    params: params({ id: mailboxId }),
    returns: z.boolean(),
    faults: ['BOUNCE_MAILBOX_UNKNOWN'],
    scope: 'admin',
    example: { params: { id: '{{bounce_mailbox}}' } },
    async run({ tx, account }, given) {
      const mailbox = await needMailbox({ tx, account }, given.id);
      await queueReading(tx, account.id, mailbox);
      return true;
    },
  }),
  method({
    name: 'bounceMailboxDelete',
    group: 'account',
    summary: 'Stops reading a bounce mailbox. Its messages and what it has reported stay.',
    params: params({ id: mailboxId }),
    returns: z.boolean(),
    faults: ['BOUNCE_MAILBOX_UNKNOWN'],
    scope: 'admin',
    example: { params: { id: '{{bounce_mailbox}}' } },
    async run({ tx, account }, given) {
      const mailbox = await needMailbox({ tx, account }, given.id);
      await tx.run(sql`delete from bounce_mailbox where account_id = ${account.id} and id = ${mailbox}`);
      return true;
    },
  }),
];

type Row = Omit<Mailbox, 'account' | 'user' | 'password' | 'position'> & {
  title: string;
  userName: string;
  createdAt: Date;
  readAt: Date | null;
  heardAt: Date | null;
  messages: number;
  matched: number;
  unknown: number;
  problem: string;
};

async function listMailboxes({ tx, account }: Context) {
  const rows = await tx.rows<Row>(sql`
    select id, title, protocol, host, port, security, user_name as "userName", folder, remove, created_at as "createdAt",
      read_at as "readAt", heard_at as "heardAt", messages, matched, unknown, problem
    from bounce_mailbox
    where account_id = ${account.id}
    order by created_at, id`);
  return rows.map(({ id, userName, createdAt, readAt, heardAt, ...row }) => ({
    id: formatId(id),
    user_name: userName,
    created_at: formatDate(createdAt),
    read_at: formatDate(readAt),
    heard_at: formatDate(heardAt),
    ...row,
  }));
}

type Given = {
  protocol: Mailbox['protocol'];
  host: string;
  port?: number | undefined;
  security?: Mailbox['security'] | undefined;
  user_name: string;
  password: string;
  folder?: string | undefined;
  remove?: boolean | undefined;
  title?: string | undefined;
};

const usualPorts = { imap: { tls: 993, starttls: 143, none: 143 }, pop3: { tls: 995, starttls: 110, none: 110 } };

type Opened = { mailbox: Mailbox; problem: string };

/** Opens the mailbox without reading a message. */
async function openFirst({ app, account }: PrepareContext, given: Given): Promise<Opened> {
  const { protocol, security = 'tls', password, remove = true } = given;
  const host = given.host.trim().toLowerCase();
  if (!/^[a-z0-9.:-]{1,253}$/.test(host) || !URL.canParse(`https://${host.includes(':') ? `[${host}]` : host}/`))
    throw fault('BOUNCE_MAILBOX_INVALID', 'bounce_mailbox.host', { member: 'host' });
  const mailbox: Mailbox = {
    account: account.id,
    id: 0,
    protocol,
    host,
    port: given.port ?? usualPorts[protocol][security],
    security,
    user: given.user_name,
    password,
    folder: given.folder || 'INBOX',
    remove,
    position: {},
  };
  try {
    await readMailbox(app, mailbox, async () => false, 0);
    return { mailbox, problem: '' };
  } catch (error) {
    if (!(error instanceof MailboxProblem)) throw error;
    if (error.mayPass) return { mailbox, problem: error.message };
    throw fault('BOUNCE_MAILBOX_INVALID', 'bounce_mailbox.not_opened', { member: 'host', reason: error.message });
  }
}

async function createMailbox({ app, tx, account }: Context, { title = '' }: Given, { mailbox, problem }: Opened) {
  const counted = await tx.row<{ count: number }>(sql`
    select count(*)::int as count from bounce_mailbox where account_id = ${account.id}`);
  if (counted!.count >= maxMailboxes)
    throw fault('BOUNCE_MAILBOX_INVALID', 'bounce_mailbox.too_many', { member: 'host', count: maxMailboxes });
  const { protocol, host, port, security, user, password, folder, remove } = mailbox;
  const row = await tx.row<{ id: number }>(sql`
    insert into bounce_mailbox (account_id, title, protocol, host, port, security, user_name, password, folder, remove, problem)
    values (${account.id}, ${title}, ${protocol}, ${host}, ${port}, ${security}, ${user},
      ${sealedPassword(app, account.id, password)}, ${folder}, ${remove}, ${problem})
    returning id`);
  await queueReading(tx, account.id, row!.id);
  return formatId(row!.id);
}

async function needMailbox({ tx, account }: Pick<Context, 'tx' | 'account'>, given: string): Promise<number> {
  const row = await tx.row<{ id: number }>(sql`
    select id from bounce_mailbox where account_id = ${account.id} and id = ${parseId(given)} for update`);
  if (!row) throw fault('BOUNCE_MAILBOX_UNKNOWN', 'bounce_mailbox.unknown', { member: 'id', id: given.slice(0, 80) });
  return row.id;
}

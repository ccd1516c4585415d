// The methods about bounce mailboxes. No answer contains a password.
import { z } from 'zod';
import type { Context } from '../../base/context.ts';
import { sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import { formatDate } from '../../method/date.ts';
import { method } from '../../method/method.ts';
import { named } from '../../method/named.ts';
import { boolean, filledLine, id, integer, line, oneOf, params, text, unlessEmpty } from '../../method/params.ts';
import { type Grant, readGrant } from '../../relays/oauth/grant.ts';
import { queueReading } from '../../relays/oauth/queue-reading.ts';
import { oauthRecord, oauthRecordOf } from '../../relays/oauth/record.ts';
import { oauthParameter } from '../../relays/oauth/settings.ts';
import {
  connectionSettings,
  createMailbox,
  isGiven,
  needMailbox,
  openChanged,
  openFirst,
  updateMailbox,
} from './change.ts';
import type { Mailbox } from './protocol.ts';

const protocols = ['imap', 'pop3'] as const;
const securities = ['tls', 'starttls', 'none'] as const;
const auths = ['password', 'oauth'] as const;

const mailboxRecord = named(
  'BounceMailbox',
  z.object({
    id: z.string(),
    title: z.string(),
    protocol: z.enum(protocols),
    host: z.string(),
    port: z.int(),
    security: z.enum(securities),
    user_name: z.string(),
    auth: z.enum(auths),
    oauth: oauthRecord,
    folder: z.string(),
    remove: z.boolean(),
    created_at: z.string(),
    read_at: z.string().meta({ description: 'When the mailbox was last read, successfully or not.' }),
    heard_at: z.string().meta({ description: 'When the last notice about a message of this account was found.' }),
    messages: z.int().meta({ description: 'Messages read.' }),
    matched: z.int().meta({ description: 'Notices about messages of this account.' }),
    unknown: z.int().meta({
      description: 'Bounces and complaints that match no message of this account; left in the mailbox and ignored.',
    }),
    problem: z.string().meta({
      description:
        'Why the last reading failed, or which messages could not be read, in English; empty if everything was read.',
    }),
  }),
);

const mailboxId = id('The mailbox.');
const settings = {
  protocol: oneOf('The protocol.', protocols),
  host: filledLine('The mail server.', 253),
  port: integer('Default 993 (IMAP) or 995 (POP3); with starttls or none, 143 or 110.', 1, 65_535),
  security: oneOf('tls (default), starttls or none.', securities),
  user_name: filledLine('The user name.', 320),
  auth: oneOf('password (default), or oauth: with access tokens that are renewed, see oauth.', auths),
  folder: line('The IMAP folder; default INBOX.', 255),
  remove: boolean('Whether notices are deleted from the mailbox once counted; default true.'),
  title: line('A name for the mailbox.', 100),
};

export const bounceMailboxMethods = [
  method({
    name: 'bounceMailboxes',
    group: 'sending',
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
    group: 'sending',
    summary: 'Adds a mailbox that receives bounces; it is read every minute.',
    description:
      'The mailbox is opened first: nothing is saved if the server refuses the user name, the password or the folder. A server that cannot be reached or refuses for another reason is tried again every minute, and `problem` shows why. A notice counts if it returns a message of this account, or names its Message-ID and its recipient. Notices are deleted from the mailbox once counted, unless remove is false; all other messages stay where they are, unread.',
    params: params({
      protocol: settings.protocol,
      host: settings.host,
      port: settings.port.optional(),
      security: settings.security.optional(),
      user_name: settings.user_name,
      password: text('The password; not with auth oauth.', 1_000).optional(),
      auth: unlessEmpty(settings.auth),
      oauth: oauthParameter.optional(),
      folder: settings.folder.optional(),
      remove: settings.remove.optional(),
      title: settings.title.optional(),
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
    name: 'bounceMailboxUpdate',
    group: 'sending',
    summary: 'Changes a bounce mailbox. Omitted values do not change.',
    description:
      'A password that is left out or empty is kept; for another server, for a connection without encryption, or for a new port other than 143, 993, 110 and 995, it must be given again. If the connection settings change, the mailbox is opened first, as in bounceMailboxCreate; nothing is changed if the server refuses the user name, the password or the folder, or if another call changes the connection at the same time. If the protocol, server, port, user name or folder changes, the mailbox is read from the start; notices that were already counted do not count again. If protocol or security changes, port returns to its default unless it is given.',
    params: params({
      id: mailboxId,
      protocol: unlessEmpty(settings.protocol),
      host: line('The mail server.', 253).optional(),
      port: settings.port.optional(),
      security: unlessEmpty(settings.security),
      user_name: line('The user name.', 320).optional(),
      password: text('The password.', 1_000).optional(),
      auth: unlessEmpty(settings.auth),
      oauth: oauthParameter.optional(),
      folder: settings.folder.optional(),
      remove: settings.remove.optional(),
      title: settings.title.optional(),
    }),
    returns: z.boolean(),
    faults: ['BOUNCE_MAILBOX_UNKNOWN', 'BOUNCE_MAILBOX_INVALID'],
    scope: 'admin',
    confirm: (given) => connectionSettings.some((name) => isGiven(given[name])),
    example: { params: { id: '{{bounce_mailbox}}', title: 'Returned mail', remove: false } },
    prepare: openChanged,
    run: updateMailbox,
  }),
  method({
    name: 'bounceMailboxRead',
    group: 'sending',
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
    group: 'sending',
    summary: 'Stops reading a bounce mailbox. Its messages and the results of its notices are kept.',
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

type Row = Omit<Mailbox, 'account' | 'user' | 'password' | 'position' | 'auth' | 'token'> & {
  auth: (typeof auths)[number];
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

async function listMailboxes({ app, tx, account }: Context) {
  const rows = await tx.rows<Row>(sql`
    select id, title, protocol, host, port, security, user_name as "userName", auth, folder, remove, created_at as "createdAt",
      read_at as "readAt", heard_at as "heardAt", messages, matched, unknown, problem
    from bounce_mailbox
    where account_id = ${account.id}
    order by created_at, id`);
  const grants = new Map<number, Grant | undefined>();
  for (const { id, auth } of rows)
    if (auth === 'oauth') grants.set(id, await readGrant(app, tx, { accountId: account.id, id }));
  return rows.map(({ id, userName, createdAt, readAt, heardAt, ...row }) => ({
    id: formatId(id),
    oauth: oauthRecordOf(grants.get(id)),
    user_name: userName,
    created_at: formatDate(createdAt),
    read_at: formatDate(readAt),
    heard_at: formatDate(heardAt),
    ...row,
  }));
}

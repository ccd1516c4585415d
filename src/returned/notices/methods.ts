// The methods about notice sources: the services that report bounces, complaints and unsubscribes. A URL is shown
// once, when it is made: only a hash of its token is stored.

import { z } from 'zod';
import { hashToken, newToken } from '../../accounts/access/token.ts';
import type { Context } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';
import { sql } from '../../db/connect.ts';
import { formatId, parseId } from '../../db/ids.ts';
import { type ServiceName, serviceNames } from '../../delivery/message/notice-fields.ts';
import { formatDate } from '../../method/date.ts';
import { method } from '../../method/method.ts';
import { named } from '../../method/named.ts';
import { filledText, id, line, oneOf, params, struct, text } from '../../method/params.ts';
import { services } from './services/index.ts';
import { publicKeyOf } from './signatures.ts';
import { canOpen, forgetSources, sealedKey } from './source.ts';

const maxSources = 20;
const sourceStates = ['needs_key', 'waiting', 'working', 'refused'] as const;

const sourceRecord = named(
  'NoticeSource',
  z.object({
    id: z.string(),
    service: z.enum(serviceNames),
    title: z.string(),
    url: z.string().meta({ description: 'With all but the last four characters of its token masked.' }),
    signs: z.boolean().meta({ description: 'Whether the service signs its requests with a key that is entered here.' }),
    has_key: z.boolean(),
    state: z.enum(sourceStates).meta({
      description: 'waiting: nothing was received yet; refused: the last request was not genuine.',
    }),
    created_at: z.string(),
    heard_at: z.string().meta({ description: 'The last genuine request.' }),
    received: z.int().meta({ description: 'Notices in genuine requests.' }),
    matched: z.int().meta({ description: 'Notices about messages of this account.' }),
    unknown: z.int().meta({ description: 'Notices about no message of this account; they have no effect.' }),
    last_unknown: z.string().meta({ description: 'The message that the last unknown notice named.' }),
    refused: z.int().meta({ description: 'Requests that were not genuine.' }),
    refused_at: z.string(),
    problem: z.string().meta({ description: 'Why the last request was refused, in English; empty if it was not.' }),
  }),
);

const sourceId = id('The source.');
const keyText = text(
  'The key that the service signs with: the verification key of SendGrid, the signing key of Mailgun, the secret of Resend. Other services have none.',
  1_000,
);
const withUrl = named(
  'NoticeSourceUrl',
  z.object({ id: z.string(), url: z.string().meta({ description: 'Shown in this answer only.' }) }),
);

export const noticeSourceMethods = [
  method({
    name: 'noticeSources',
    group: 'sending',
    summary: 'Lists the services that report bounces, complaints and unsubscribes, and when they were last heard from.',
    description:
      'A notice is matched by the header X-Postrider-ID, which messages of an account with a source carry, else by the Message-ID, else by the id in the reply of the relay. A notice that names no message of the account is counted as unknown.',
    params: params({}),
    returns: z.array(sourceRecord),
    faults: [],
    scope: 'admin',
    reads: true,
    example: { params: {} },
    run: listSources,
  }),
  method({
    name: 'noticeSourceCreate',
    group: 'sending',
    summary: 'Creates a URL for the webhook of a service that reports bounces, complaints and unsubscribes.',
    description: `A service is one of ${serviceNames.join(', ')}. The requests of ses, sendgrid, mailgun and resend must be signed. Anyone with the URL of another service can report bounces of the messages of this account, so keep it secret.`,
    params: params({
      service: oneOf('The service.', serviceNames),
      title: line('A name for it.', 100).optional(),
      options: struct('Settings.', { key: keyText.optional() }, { fault: 'NOTICE_SOURCE_INVALID' }).optional(),
    }),
    returns: withUrl,
    faults: ['NOTICE_SOURCE_INVALID'],
    scope: 'admin',
    confirm: () => true,
    example: { params: { service: 'postmark', title: 'Newsletter server' } },
    run: createSource,
  }),
  method({
    name: 'noticeSourceUpdate',
    group: 'sending',
    summary: 'Changes the title or the key of a source of returned mail.',
    params: params({
      id: sourceId,
      name: filledText('Which setting: title or key.', 40),
      value: text('The new value.', 1_000),
    }),
    returns: z.boolean(),
    faults: ['NOTICE_SOURCE_UNKNOWN', 'NOTICE_SOURCE_INVALID'],
    scope: 'admin',
    confirm: ({ name }) => name.toLowerCase() === 'key',
    example: { params: { id: '{{notice_source}}', name: 'title', value: 'Second server' } },
    run: updateSource,
  }),
  method({
    name: 'noticeSourceReplaceUrl',
    group: 'sending',
    summary: 'Gives a source of returned mail a new URL; the old one ends within two seconds.',
    description:
      'The topic that a source for SES is tied to is forgotten, so that the new URL can be subscribed to another one.',
    params: params({ id: sourceId }),
    returns: withUrl,
    faults: ['NOTICE_SOURCE_UNKNOWN'],
    scope: 'admin',
    confirm: () => true,
    example: { params: { id: '{{notice_source}}' } },
    run: replaceUrl,
  }),
  method({
    name: 'noticeSourceDelete',
    group: 'sending',
    summary: 'Deletes a source of returned mail. What it has reported stays.',
    params: params({ id: sourceId }),
    returns: z.boolean(),
    faults: ['NOTICE_SOURCE_UNKNOWN'],
    scope: 'admin',
    example: { params: { id: '{{notice_source}}' } },
    run: deleteSource,
  }),
];

type Row = {
  id: number;
  service: ServiceName;
  title: string;
  hint: string;
  key: Buffer | null;
  createdAt: Date;
  heardAt: Date | null;
  received: number;
  matched: number;
  unknown: number;
  lastUnknown: string;
  refused: number;
  refusedAt: Date | null;
  problem: string;
};

async function listSources({ app, tx, account }: Context) {
  const rows = await tx.rows<Row>(sql`
    select id, service, title, hint, key, created_at as "createdAt", heard_at as "heardAt", received, matched, unknown,
      last_unknown as "lastUnknown", refused, refused_at as "refusedAt", problem
    from notice_source
    where account_id = ${account.id}
    order by created_at, id`);
  return rows.map((row) => {
    const { signs } = services[row.service];
    const hasKey = row.key !== null && canOpen(app, account.id, row.key);
    return {
      id: formatId(row.id),
      service: row.service,
      title: row.title,
      url: urlOf(app.baseUrl, row.service, `…${row.hint}`),
      signs,
      has_key: hasKey,
      state: stateOf(row, signs && !hasKey),
      created_at: formatDate(row.createdAt),
      heard_at: formatDate(row.heardAt),
      received: row.received,
      matched: row.matched,
      unknown: row.unknown,
      last_unknown: row.lastUnknown,
      refused: row.refused,
      refused_at: formatDate(row.refusedAt),
      problem: row.problem,
    };
  });
}

function stateOf({ heardAt, refusedAt }: Row, needsKey: boolean): (typeof sourceStates)[number] {
  if (needsKey) return 'needs_key';
  if (refusedAt !== null && (heardAt === null || refusedAt > heardAt)) return 'refused';
  return heardAt === null ? 'waiting' : 'working';
}

const urlOf = (baseUrl: string, service: ServiceName, token: string) => `${baseUrl}/in/${service}/${token}`;

type Given = { service: ServiceName; title?: string | undefined; options?: { key?: string | undefined } | undefined };

async function createSource({ app, tx, account }: Context, { service, title = '', options = {} }: Given) {
  const key = readKey(service, options.key ?? '', 'options.key');
  const counted = await tx.row<{ count: number }>(sql`
    select count(*)::int as count from notice_source where account_id = ${account.id}`);
  if (counted!.count >= maxSources)
    throw fault('NOTICE_SOURCE_INVALID', 'notice_source.too_many', { member: 'service', count: maxSources });
  const token = newToken();
  const row = await tx.row<{ id: number }>(sql`
    insert into notice_source (account_id, service, title, token_hash, hint, key)
    values (${account.id}, ${service}, ${title}, ${hashToken(token)}, ${token.slice(-4)}, ${sealedKey(app, account.id, key)})
    returning id`);
  return { id: formatId(row!.id), url: urlOf(app.baseUrl, service, token) };
}

const changeable = ['title', 'key'];

async function updateSource({ app, tx, account }: Context, given: { id: string; name: string; value: string }) {
  const source = await needSource({ tx, account }, given.id);
  const name = given.name.toLowerCase();
  if (!changeable.includes(name))
    throw fault('NOTICE_SOURCE_INVALID', 'notice_source.option', {
      member: 'name',
      name: given.name,
      choices: changeable.join(', '),
    });
  if (name === 'title') {
    const title = given.value.replace(/\s+/g, ' ').trim().slice(0, 100);
    await tx.run(sql`update notice_source set title = ${title} where account_id = ${account.id} and id = ${source.id}`);
  } else {
    const key = sealedKey(app, account.id, readKey(source.service, given.value, 'key'));
    await tx.run(sql`update notice_source set key = ${key} where account_id = ${account.id} and id = ${source.id}`);
  }
  forgetSources(app);
  return true;
}

async function replaceUrl({ app, tx, account }: Context, given: { id: string }) {
  const source = await needSource({ tx, account }, given.id);
  const token = newToken();
  await tx.run(sql`
    update notice_source
    set token_hash = ${hashToken(token)}, hint = ${token.slice(-4)}, topic = ''
    where account_id = ${account.id}
      and id = ${source.id}`);
  forgetSources(app);
  return { id: formatId(source.id), url: urlOf(app.baseUrl, source.service, token) };
}

async function deleteSource({ app, tx, account }: Context, given: { id: string }) {
  const source = await needSource({ tx, account }, given.id);
  await tx.run(sql`delete from notice_source where account_id = ${account.id} and id = ${source.id}`);
  forgetSources(app);
  return true;
}

async function needSource({ tx, account }: Pick<Context, 'tx' | 'account'>, given: string) {
  const row = await tx.row<{ id: number; service: ServiceName }>(sql`
    select id, service
    from notice_source
    where account_id = ${account.id}
      and id = ${parseId(given)}
    for update`);
  if (!row) throw fault('NOTICE_SOURCE_UNKNOWN', 'notice_source.unknown', { member: 'id', id: given.slice(0, 80) });
  return row;
}

/** What a key looks like, so that another one of the service's settings is not entered by mistake. */
const keyForms = {
  sendgrid: { isKey: (key: string) => publicKeyOf(key) !== undefined, problem: 'notice_source.key_sendgrid' },
  resend: { isKey: (key: string) => /^whsec_[A-Za-z0-9+/_=-]{20,}$/.test(key), problem: 'notice_source.key_resend' },
  mailgun: { isKey: (key: string) => key.length >= 16 && !/\s/.test(key), problem: 'notice_source.key_mailgun' },
} as const;

function readKey(service: ServiceName, given: string, member: string): string {
  const key = given.trim();
  if (key === '') return '';
  if (service !== 'sendgrid' && service !== 'resend' && service !== 'mailgun')
    throw fault('NOTICE_SOURCE_INVALID', 'notice_source.no_key', { member, service });
  const { isKey, problem } = keyForms[service];
  if (!isKey(key)) throw fault('NOTICE_SOURCE_INVALID', problem, { member });
  return key;
}

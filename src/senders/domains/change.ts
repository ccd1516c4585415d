// The sender domains of an account: adding, checking and removing one, and giving it new keys. Keys are made and DNS is
// asked before the transaction.

import type { App, Context, PrepareContext } from '../../base/context.ts';
import { readDomain } from '../../base/domain-name.ts';
import { fault } from '../../base/faults.ts';
import { type MessageLanguage, renderPacked } from '../../base/messages.ts';
import { type Queries, sql } from '../../db/connect.ts';
import { formatDate } from '../../method/date.ts';
import { dkimRecordName } from './dkim-key.ts';
import {
  addDomain,
  keepFindings,
  lookUp,
  type makeKeys,
  maxDomains,
  recordsOf,
  rotateKeys,
  type SenderDomain,
  senderDomains,
} from './sender-domain.ts';
import { setTrackingHost } from './tracking-host.ts';

type Named = { domain: string };
type Keys = Awaited<ReturnType<typeof makeKeys>>;

/** The largest mailbox providers: their users cannot publish DNS records for the domain. */
export const mailboxProviders = new Set(
  'gmail.com googlemail.com yahoo.com ymail.com outlook.com hotmail.com live.com msn.com icloud.com me.com aol.com gmx.de gmx.net web.de t-online.de proton.me protonmail.com mail.ru yandex.ru qq.com 163.com orange.fr libero.it'.split(
    ' ',
  ),
);

export async function listDomains({ app, tx, account, language }: Context) {
  const domains = await senderDomains(tx, account.id);
  return domains.map((domain) => recordOf(app, domain, language));
}

export async function createDomain({ app, tx, account, language }: Context, { domain }: Named, keys: Keys) {
  const wanted = readDomain(domain);
  if (wanted === null)
    throw fault('DOMAIN_INVALID', 'domain.invalid', { member: 'domain', value: domain.slice(0, 80) });
  if (mailboxProviders.has(wanted))
    throw fault('DOMAIN_INVALID', 'domain.mailbox_provider', { member: 'domain', name: wanted });
  const counted = await tx.row<{ count: number }>(sql`
    select count(*)::int as count from sender_domain where account_id = ${account.id}`);
  if (counted!.count >= maxDomains)
    throw fault('DOMAIN_INVALID', 'domain.too_many', { member: 'domain', count: maxDomains });
  if ((await addDomain(app, tx, account.id, wanted, keys)) === undefined)
    throw fault('DOMAIN_INVALID', 'domain.exists', { member: 'domain', name: wanted });
  return recordOf(app, await needDomain(tx, account.id, wanted), language);
}

/** Asks DNS for the records of a domain, outside the transaction. */
export async function lookUpDomain({ app, account }: PrepareContext, { domain }: Named) {
  const found = await needDomain(app.db, account.id, domain);
  return { id: found.id, findings: await lookUp(app, found) };
}

type LookUp = Awaited<ReturnType<typeof lookUpDomain>>;

export async function recordCheck(
  { app, tx, account, language }: Context,
  { domain }: Named,
  { id, findings }: LookUp,
) {
  await keepFindings(tx, account.id, id, findings);
  return recordOf(app, await needDomain(tx, account.id, domain), language);
}

export async function rotateDomain({ app, tx, account, language }: Context, { domain }: Named, keys: Keys) {
  const found = await needDomain(tx, account.id, domain);
  await rotateKeys(app, tx, account.id, found.id, keys);
  return recordOf(app, await needDomain(tx, account.id, domain), language);
}

/** @throws Fault DOMAIN_UNKNOWN, DOMAIN_INVALID */
export async function changeTrackingHost(
  { app, tx, account, language }: Context,
  { domain, host }: Named & { host: string },
) {
  const found = await needDomain(tx, account.id, domain);
  const wanted = host.trim() === '' ? '' : readDomain(host);
  if (wanted === null) throw fault('DOMAIN_INVALID', 'domain.invalid', { member: 'host', value: host.slice(0, 80) });
  await setTrackingHost(app, tx, account.id, found, wanted);
  return recordOf(app, await needDomain(tx, account.id, domain), language);
}

export async function removeDomain({ tx, account }: Context, { domain }: Named): Promise<true> {
  const { id } = await needDomain(tx, account.id, domain);
  await tx.run(sql`delete from sender_domain where account_id = ${account.id} and id = ${id}`);
  return true;
}

/** @throws Fault DOMAIN_UNKNOWN */
async function needDomain(db: Queries, accountId: number, text: string): Promise<SenderDomain> {
  const wanted = readDomain(text);
  const [found] = wanted === null ? [] : await senderDomains(db, accountId, wanted);
  if (!found) throw fault('DOMAIN_UNKNOWN', 'domain.unknown', { member: 'domain', value: text.slice(0, 80) });
  return found;
}

/** A domain as the methods show it. */
function recordOf(app: App, sender: SenderDomain, language: MessageLanguage) {
  return {
    domain: sender.domain,
    status: sender.status,
    created_at: formatDate(sender.createdAt),
    checked_at: formatDate(sender.checkedAt),
    tracking_host: sender.trackingHost,
    tracking_ready: sender.trackingReady,
    records: recordsOf(app, sender, language),
    checks: sender.findings.map(({ name: record, record: asked, expected, found, state, hint }) => ({
      record,
      name: asked,
      expected,
      found,
      ok: state === 'ok',
      state,
      advice: renderPacked(hint, language),
    })),
    retired: sender.keys
      .filter((key) => key.role === 'old')
      .map((key) => ({
        name: dkimRecordName(key.selector, sender.domain),
        retired_at: formatDate(key.retiredAt),
      })),
  };
}

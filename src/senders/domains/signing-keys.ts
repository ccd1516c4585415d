// The keys that sign a domain's mail: those that are current and were found published.
// Guarantees never to name a key that receivers could not verify; distinguishes a domain that does not sign from one that
// should and cannot. Leaves signing to delivery.

import { unseal } from '../../accounts/installation/seal.ts';
import type { App } from '../../base/context.ts';
import { type Message, message } from '../../base/messages.ts';
import { type Queries, sql } from '../../db/connect.ts';
import type { DkimAlgorithm } from './dkim-key.ts';

type OpenedKey = { domain: string; selector: string; algorithm: DkimAlgorithm; privateKey: string };

export type SigningKeys =
  | { kind: 'keys'; keys: OpenedKey[] }
  /** The account has no active domain of this name. */
  | { kind: 'none'; why: Message }
  /** The domain is active, and its keys are missing or cannot be opened. */
  | { kind: 'unusable'; why: Message };

/** What a key is sealed for: its row. */
export const keyPurpose = (accountId: number, domainId: number, selector: string) =>
  `dkim ${accountId} ${domainId} ${selector}`;

/** @param domain of the From address, in lower case */
export async function signingKeys(app: App, db: Queries, accountId: number, domain: string): Promise<SigningKeys> {
  const rows = await db.rows<Row>(sql`
    select d.id, d.active, d.broken_at is not null as broken, k.selector, k.algorithm, k.private_key as "privateKey"
    from sender_domain d
    left join sender_domain_key k
      on k.account_id = d.account_id
      and k.domain_id = d.id
      and k.role = 'current'
      and k.published
    where d.account_id = ${accountId}
      and d.domain = ${domain}
    -- The signature that most receivers know stands lowest, where some look first.
    order by k.algorithm`);
  const [first] = rows;
  if (!first) return { kind: 'none', why: message('signing.no_domain', { domain }) };
  if (!first.active)
    return {
      kind: 'none',
      why: message(first.broken ? 'signing.record_wrong' : 'signing.not_active', { domain }),
    };
  const keys: OpenedKey[] = [];
  for (const { id, selector, algorithm, privateKey } of rows) {
    if (selector === null || algorithm === null || privateKey === null) continue;
    const opened = unseal(app, keyPurpose(accountId, id, selector), privateKey);
    if (opened === null) return { kind: 'unusable', why: message('signing.not_decrypted', { selector, domain }) };
    keys.push({ domain, selector, algorithm, privateKey: opened });
  }
  // Many receivers verify no Ed25519 yet, so a lone one is no signature to them.
  if (!keys.some((key) => key.algorithm === 'rsa-sha256'))
    return { kind: 'unusable', why: message('signing.no_key', { domain }) };
  return { kind: 'keys', keys };
}

type Row = {
  id: number;
  active: boolean;
  broken: boolean;
  selector: string | null;
  algorithm: DkimAlgorithm | null;
  privateKey: Buffer | null;
};

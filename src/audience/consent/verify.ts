// Walks the chain of the consent log of an account and names the first record that is not as it was linked: altered, removed,
// inserted or moved. Records of the last minutes are not linked yet; they are counted. Records at the very end can be removed
// together with their links without a trace in the database, so the end of the chain is returned, to be kept elsewhere.
import { type Database, sql } from '../../db/connect.ts';
import { recordColumns } from './chain.ts';
import { beginning, type ConsentRecord, linkHash, personalDigest } from './digest.ts';

const pageLinks = 5_000;

export type Broken = {
  position: number;
  consentId: string;
  what: 'link missing' | 'record missing' | 'record altered' | 'link altered' | 'record inserted' | 'end missing';
};

export type Verdict = {
  /** Links that were verified. */
  links: number;
  /** Records that are not linked yet. */
  waiting: number;
  /** The last link: its position and its hash. */
  end: { position: number; hash: string };
  broken?: Broken;
};

type Row = ConsentRecord & {
  position: number;
  consentId: string;
  salt: Buffer | null;
  personal: Buffer;
  hash: Buffer;
  found: boolean;
  isErased: boolean;
};

/** @param known a link that was noted earlier, which must still be there */
export async function verifyChain(
  db: Database,
  accountId: number,
  known?: { position: number; hash: string },
): Promise<Verdict> {
  const end = { position: 0, hash: beginning };
  for (;;) {
    const rows = await pageAfter(db, accountId, end.position);
    for (const row of rows) {
      const what = problemOf(row, end) ?? (known && contradicts(row, known) ? 'link altered' : undefined);
      if (what !== undefined) return verdictOf(end, 0, { position: end.position + 1, consentId: row.consentId, what });
      end.position = Number(row.position);
      end.hash = row.hash;
    }
    if (rows.length < pageLinks) break;
  }
  if (known && known.position > end.position)
    return verdictOf(end, 0, { position: end.position + 1, consentId: '', what: 'end missing' });
  const loose = await db.row<{ inserted: string | null; waiting: number }>(sql`
    select (min(k.id) filter (where k.id <= coalesce(c.last_id, 0)))::text as inserted, count(*)::int as waiting
    from consent k
    left join consent_chain c on true
    where k.account_id = ${accountId}
      and not exists (
        select
        from consent_link l
        where l.account_id = k.account_id
          and l.contact_id = k.contact_id
          and l.consent_id = k.id
      )`);
  const { inserted, waiting } = loose!;
  if (inserted !== null)
    return verdictOf(end, waiting, { position: end.position, consentId: inserted, what: 'record inserted' });
  return verdictOf(end, waiting);
}

const verdictOf = (end: { position: number; hash: Buffer }, waiting: number, broken?: Broken): Verdict => ({
  links: end.position,
  waiting,
  end: { position: end.position, hash: end.hash.toString('hex') },
  ...(broken ? { broken } : {}),
});

function problemOf(row: Row, before: { position: number; hash: Buffer }): Broken['what'] | undefined {
  const position = Number(row.position);
  if (position !== before.position + 1) return 'link missing';
  if (!row.found) return 'record missing';
  const isWhole = row.salt === null ? row.isErased : personalDigest(row.salt, row).equals(row.personal);
  if (!isWhole) return 'record altered';
  if (linkHash(before.hash, position, row, row.personal).equals(row.hash)) return undefined;
  return row.salt === null ? 'record altered' : 'link altered';
}

const contradicts = (row: Row, known: { position: number; hash: string }) =>
  Number(row.position) === known.position && row.hash.toString('hex') !== known.hash;

/** Links with their records. A record without personal data is one of an erased contact only if that contact is gone. */
function pageAfter(db: Database, accountId: number, position: number): Promise<Row[]> {
  return db.rows<Row>(sql`
    select l.position::int8 as position, l.consent_id::text as "consentId", l.salt, l.personal, l.hash,
      k.id is not null as found, ${recordColumns},
      k.ip = '' and k.detail - 'hash' - 'campaign' = '{}' and not exists (
        select from contact c where c.account_id = l.account_id and c.id = l.contact_id
      ) as "isErased"
    from consent_link l
    left join consent k on k.account_id = l.account_id and k.contact_id = l.contact_id and k.id = l.consent_id
    where l.account_id = ${accountId}
      and l.position > ${position}
    order by l.position
    limit ${pageLinks}`);
}

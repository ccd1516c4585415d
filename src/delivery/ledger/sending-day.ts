// Counts by day, kind, list and receiving provider what relays accepted and what came back: for reputation and usage. To be called in
// the transaction that writes the outcomes, as its last statement that may wait: several campaigns of an account share these rows.
import { providerOf } from '../../base/mail-providers.ts';
import type { Counts } from '../../base/reputation-rules.ts';
import { prepared, sql, type Tx } from '../../db/connect.ts';
import { jsonb } from '../../db/jsonb.ts';
import type { CampaignKey } from '../../db/keys.ts';

/** Of one recipient, or of several of a campaign. */
export type Counted = Partial<Counts> & {
  /** Needed for a single message, whose kind is its own. */
  seq: number;
  list: number;
  domain: string;
};

export const domainOf = (email: string): string => email.slice(email.lastIndexOf('@') + 1);

/** @param messages of single messages: each has a kind of its own */
export async function countSendingDay(
  tx: Tx,
  of: CampaignKey,
  counted: readonly Counted[],
  messages: boolean,
): Promise<void> {
  if (counted.length === 0) return;
  // One shape for every number of rows, so that the statement is planned once.
  const rows = [...Map.groupBy(counted, (row) => keyOf(row, messages)).values()].map((same) => {
    const { seq, list, domain } = same[0]!;
    const sum = (of: keyof Counts) => same.reduce((total, row) => total + (row[of] ?? 0), 0);
    return {
      seq: messages ? seq : null,
      list,
      provider: providerOf(domain),
      accepted: sum('accepted'),
      refused: sum('refused'),
      returned: sum('returned'),
      complaints: sum('complaints'),
    };
  });
  await tx.run(
    prepared(sql`
    insert into sending_day as s (account_id, day, kind, list_id, provider, shard, accepted, refused, returned, complaints)
    select ${of.account}::int, (now() at time zone 'UTC')::date, g.kind, g.list, g.provider, (pg_backend_pid() % 16)::smallint,
      sum(g.accepted)::int, sum(g.refused)::int, sum(g.returned)::int, sum(g.complaints)::int
    from (
      select r.*,
        case
          when a.test_of is not null or m.test or m.purpose = 'test' then 'test'
          when c.type = 'auto' then 'automation'
          when c.type <> 'message' then 'campaign'
          when m.purpose = 'message' then 'message'
          else 'program'
        end as kind
      from jsonb_to_recordset(${jsonb(rows)}::jsonb)
        as r(seq int, list int, provider text, accepted int, refused int, returned int, complaints int)
      join account a on a.id = ${of.account}
      join campaign c on c.account_id = a.id and c.id = ${of.campaign}
      left join message_recipient t on t.account_id = a.id and t.campaign_id = c.id and t.seq = r.seq
      left join message m on m.account_id = t.account_id and m.campaign_id = t.campaign_id and m.no = t.no
    ) as g
    group by g.kind, g.list, g.provider
    -- Always in the same order, so that two transactions never wait for each other.
    order by g.kind, g.list, g.provider
    on conflict (account_id, day, kind, list_id, provider, shard) do update
    set accepted = s.accepted + excluded.accepted, refused = s.refused + excluded.refused,
      returned = s.returned + excluded.returned, complaints = s.complaints + excluded.complaints`),
  );
}

const keyOf = ({ seq, list, domain }: Counted, messages: boolean) =>
  messages ? String(seq) : `${list} ${providerOf(domain)}`;

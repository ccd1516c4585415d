// What must hold after every fault: compares the database with the sink's log, which is the truth about what was taken.
// checkInvariants names each broken one of I1 (no recipient lost), I2 (no unmarked copy), I3 (accepted means taken), I4
// (taken means accepted or unclear), I5 (the accounting), I6 (nothing goes out after a stop) and I7 (states move along
// their edges; sent means done). Takes any number of workers, restarts and copies; knows nothing of how the fault was made.
import assert from 'node:assert/strict';
import { type Database, sql } from '../../../src/db/connect.ts';
import { type StateName, stateNames } from '../../../src/db/states.ts';
import type { Entry } from '../smtp-sink/sink.ts';
import { shownState } from './shown-state.ts';

export type Checked = {
  recipients: number;
  counts: Record<StateName, number>;
  /** Messages the sink took for recipients of the campaign. */
  taken: number;
  /** Of them, those beyond the first of a recipient; each is marked. */
  copies: number;
};

export type Claims = {
  campaign: number;
  /** The addresses that were to get it, when the test knows them: each needs a row. */
  audience?: readonly string[];
  /** false while it is still being sent: recipients may be queued or being tried then. */
  settled?: boolean;
  /** When a stop was acknowledged (Date.now()), and how many messages could have been open at the sink then. */
  stopped?: { atMs: number; open: number };
};

type Row = {
  seq: number;
  email: string;
  inMonth: boolean;
  state: number;
  attempts: number;
  resent: number;
  reason: string | null;
};

/**
 * @param entries the sinks' logs, all of them where there were several
 * @throws AssertionError with a line for each broken invariant
 */
export async function checkInvariants(db: Database, entries: readonly Entry[], claims: Claims): Promise<Checked> {
  const settled = claims.settled ?? true;
  const { campaign } = claims;
  const broken: string[] = [];
  const complain = (id: string, what: string, whom: readonly string[]) => {
    if (whom.length > 0) broken.push(`${id} ${what}: ${whom.length}, such as ${whom.slice(0, 3).join(', ')}`);
  };

  // Read before the rows: what is taken meanwhile is not held against them while it is being sent.
  const taken = takenOf(entries, campaign);
  const rows = await db.rows<Row>(sql`
    select seq, email, month = (select month from campaign where id = ${campaign}) as "inMonth", ${shownState} as state, attempts, resent, reason
    from delivery
    where campaign_id = ${campaign}
    order by seq`);
  // Statements look for them in the month of the campaign only.
  complain(
    'I1',
    'in another month than the campaign',
    rows.filter(({ inMonth }) => inMonth === false).map(({ email }) => email),
  );
  const named = (test: (row: Row, ids: readonly string[]) => boolean) =>
    rows.filter((row) => test(row, taken.get(row.seq) ?? [])).map((row) => `${row.email} (${stateNames[row.state]})`);
  const is = (row: Row, ...names: StateName[]) => names.includes(stateNames[row.state]!);

  if (claims.audience) {
    const have = new Set(rows.map((row) => row.email.toLowerCase()));
    complain(
      'I1',
      'without a row',
      claims.audience.filter((email) => !have.has(email.toLowerCase())),
    );
  }
  if (settled)
    complain(
      'I1',
      'neither done nor waiting for a time',
      named((row) => is(row, 'queued', 'trying')),
    );
  complain('I1', 'waiting without a chunk that will take them up', await forgotten(db, campaign));
  complain(
    'I2',
    'doubled unmarked',
    named((row, ids) => ids.length - 1 > row.resent),
  );
  complain(
    'I2',
    'copies with another Message-ID',
    named((_, ids) => new Set(ids).size > 1),
  );
  complain(
    'I2',
    'copies counted that were not tried',
    named((row) => row.resent > 0 && row.resent >= row.attempts),
  );
  complain(
    'I3',
    'accepted and never taken',
    named((row, ids) => is(row, 'accepted') && ids.length === 0),
  );
  const known = new Set(rows.map((row) => row.seq));
  complain(
    'I3',
    'taken without a row',
    [...taken.keys()].filter((seq) => !known.has(seq)).map((seq) => `seq ${seq}`),
  );
  // A copy may be refused or deferred: the row keeps that it is one. Any other end after an unclear outcome is failed with
  // the reason unclear.
  complain(
    'I4',
    'taken but recorded otherwise',
    named(
      (row, ids) =>
        ids.length > 0 &&
        !is(row, 'accepted', 'unclear') &&
        !(is(row, 'failed') && row.reason === 'unclear') &&
        !(row.resent > 0 && is(row, 'queued', 'later', 'failed')) &&
        (settled || !is(row, 'trying')),
    ),
  );
  complain(
    'I4',
    'once unclear but recorded as not sent',
    named((row) => row.resent > 0 && is(row, 'skipped')),
  );
  complain('I5', 'the accounting does not hold', await accounting(db, campaign));
  if (claims.stopped) {
    const { atMs, open } = claims.stopped;
    const late = entries.filter((entry) => entry.step === 'dot' && entry.event !== 'step' && entry.atMs > atMs);
    if (late.length > open) complain('I6', `ended after the stop, with ${open} open`, late.map(toOf));
  }
  complain('I7', 'sent before it was done', await sentEarly(db, campaign));
  complain('I7', 'moves that there are not', await wrongMoves(db, campaign));

  assert.ok(broken.length === 0, `\n${broken.join('\n')}`);
  const all = [...taken.values()].reduce((sum, ids) => sum + ids.length, 0);
  const counts = Object.fromEntries(stateNames.map((name) => [name, rows.filter((row) => is(row, name)).length]));
  return { recipients: rows.length, counts: counts as Checked['counts'], taken: all, copies: all - taken.size };
}

/**
 * From now on notes every move of a recipient or a campaign along an edge that docs/flows.md does not have, in the
 * database itself, so that it sees all processes. checkInvariants reports what was noted. May be called several times.
 */
export async function watchMoves(db: Database): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.run(sql`create table if not exists wrong_move (campaign_id int, move text)`);
    await tx.run(sql`
      create or replace function note_wrong_move() returns trigger language plpgsql as $$
      begin
        if tg_table_name like 'delivery%' then
          -- A first attempt is marked in its chunk's row.
          if old.state = 0 and new.state in (2, 3, 4, 6) and exists (
            select
            from chunk k
            where k.account_id = new.account_id and k.campaign_id = new.campaign_id and k.no = new.chunk_no
              and k.state = 'leased' and new.seq between k.from_seq and k.to_seq
          ) then
            return null;
          end if;
          insert into wrong_move values (new.campaign_id, new.email || ' from ' || old.state || ' to ' || new.state);
        else
          insert into wrong_move values (new.id, 'campaign from ' || old.status || ' to ' || new.status);
        end if;
        return null;
      end $$`);
    await tx.run(sql`
      create or replace trigger wrong_move
      after update on delivery
      for each row
      -- queued, trying, accepted, later, failed, skipped, unclear: 0 to 6.
      -- A recipient who may have got it before is failed where others are skipped.
      when (old.state <> new.state and (old.state, new.state) not in (
        (0, 1), (1, 0), (1, 2), (1, 3), (1, 4), (1, 6), (3, 1), (6, 1), (6, 2), (6, 3), (6, 4),
        -- Taken back: the refusal was about us.
        (4, 3)
      ) and (old.state, new.state, new.resent > 0) not in ((0, 5, false), (3, 5, false), (0, 4, true), (3, 4, true)))
      execute function note_wrong_move()`);
    await tx.run(sql`
      create or replace trigger wrong_move
      after update on campaign
      for each row
      when (old.status <> new.status and (old.status, new.status) not in (
        ('draft', 'scheduled'), ('draft', 'launching'), ('scheduled', 'draft'), ('scheduled', 'launching'),
        ('scheduled', 'paused'), ('launching', 'sending'), ('launching', 'paused'), ('sending', 'paused'), ('sending', 'sent'),
        ('paused', 'launching'), ('paused', 'sending'), ('paused', 'sent')
      ))
      execute function note_wrong_move()`);
  });
}

/** The Message-IDs of what the sinks took of a campaign, by the recipient's number in it, which the id begins with. */
function takenOf(entries: readonly Entry[], campaign: number): Map<number, string[]> {
  const taken = new Map<number, string[]>();
  const prefix = `<${campaign.toString(36)}.`;
  for (const { event, messageId } of entries) {
    if (event !== 'accepted' || !messageId?.startsWith(prefix)) continue;
    const seq = Number.parseInt(messageId.split('.')[1]!, 36);
    taken.set(seq, [...(taken.get(seq) ?? []), messageId]);
  }
  return taken;
}

/** Queued or deferred, in a campaign that goes on, and in no open chunk; those that an A/B test holds back are not due one. */
async function forgotten(db: Database, campaign: number): Promise<string[]> {
  const rows = await db.rows<{ email: string }>(sql`
    select d.email
    from delivery d
    join campaign p on p.account_id = d.account_id and p.id = d.campaign_id
    where d.campaign_id = ${campaign}
      and p.type <> 'auto'
      and p.status in ('sending', 'paused')
      and d.state in (0, 3)
      and not exists (
        select from campaign_test t
        where t.account_id = d.account_id and t.campaign_id = d.campaign_id and t.chosen is null and d.seq > t.test_size
      )
      and not exists (
        select from chunk k
        where k.account_id = d.account_id
          and k.campaign_id = d.campaign_id
          and k.state <> 'done'
          and (d.seq between k.from_seq and k.to_seq or d.seq = any (k.seqs))
      )
    limit 100`);
  return rows.map((row) => row.email);
}

/** One statement, so that it is one moment. */
async function accounting(db: Database, campaign: number): Promise<string[]> {
  const row = await db.row<{ counted: number[]; tallied: number[] }>(sql`
    select (
        select array[count(*), count(*) filter (where state = 0), count(*) filter (where state = 1),
          count(*) filter (where state = 2), count(*) filter (where state = 3), count(*) filter (where state = 4),
          count(*) filter (where state = 5), count(*) filter (where state = 6), coalesce(sum(resent), 0)]::int[]
        from (select ${shownState} as state, resent from delivery where campaign_id = ${campaign}) as recipients
      ) as counted,
      (
        select array[coalesce(sum(recipients), 0), coalesce(sum(queued), 0), coalesce(sum(trying), 0),
          coalesce(sum(accepted), 0), coalesce(sum(later), 0), coalesce(sum(failed), 0), coalesce(sum(skipped), 0),
          coalesce(sum(unclear), 0), coalesce(sum(resent), 0)]::int[]
        from tally
        where campaign_id = ${campaign}
      ) as tallied`);
  const { counted, tallied } = row!;
  return [
    ...(String(counted) === String(tallied) ? [] : [`rows ${counted} against tally ${tallied}`]),
    ...(await reputation(db, campaign)),
  ];
}

/** The hard bounces by which a campaign is judged, and the sums of its account's days. */
async function reputation(db: Database, campaign: number): Promise<string[]> {
  const row = await db.row<{ counted: number[]; summed: number[] }>(sql`
    select (
        select array[count(*) filter (where d.campaign_id = c.id and c.type <> 'auto' and d.state = 4 and d.reason = 'hard'),
          count(*) filter (where d.state = 2), count(*) filter (where d.state = 4 and d.reason = 'hard')]::int[]
        from delivery d
        join campaign p on p.account_id = d.account_id and p.id = d.campaign_id and p.type <> 'message'
        where d.account_id = c.account_id
      ) as counted,
      (
        select array[
          coalesce((select refused from campaign_watch w where w.account_id = c.account_id and w.campaign_id = c.id), 0),
          coalesce(sum(s.accepted), 0), coalesce(sum(s.refused), 0)]::int[]
        from sending_day s
        where s.account_id = c.account_id
          and s.kind in ('campaign', 'automation')
      ) as summed
    from campaign c
    where c.id = ${campaign}`);
  if (!row || String(row.counted) === String(row.summed)) return [];
  return [
    `hard bounces of the campaign, accepted and hard bounces of the account: ${row.counted} against ${row.summed}`,
  ];
}

async function sentEarly(db: Database, campaign: number): Promise<string[]> {
  const row = await db.row<{ open: number }>(sql`
    select count(*)::int as open
    from campaign p
    join delivery d on d.account_id = p.account_id and d.campaign_id = p.id
    where p.id = ${campaign}
      and p.status = 'sent'
      and d.state in (0, 1, 3, 6)`);
  return row!.open === 0 ? [] : [`${row!.open} open recipients`];
}

async function wrongMoves(db: Database, campaign: number): Promise<string[]> {
  const watched = await db.row(sql`select where to_regclass('wrong_move') is not null`);
  if (!watched) return [];
  const rows = await db.rows<{ move: string }>(sql`select move from wrong_move where campaign_id = ${campaign}`);
  return rows.map((row) => row.move);
}

const toOf = (entry: Entry): string => entry.to ?? '';

// What a caller with a set of lists finds in the database: a schema of views beside the tables, each with the name of its table and the
// rows that the set leaves. Transactions of such callers look names up there first (narrow.ts), so that every statement of every slice
// is narrowed without knowing it, and one that is forgotten cannot leak. docs/decisions/0094-sets-of-lists.md.
import { createHash } from 'node:crypto';
import type pg from 'pg';

/** The lists of the caller. A subquery, so that it is read once for each statement. */
const own = `(select current_setting('postrider.lists'))::int[]`;

/** Triggers do the same for every caller. */
const inTrigger = 'pg_trigger_depth() > 0';

/** A row that this transaction has created, as no other has its time. */
const isNew = 't.created_at = now()';

/** Whether what the row is has to do with a list of others: see reachesForeign. */
const isAcross = (kind: 'campaign' | 'segment' | 'automation') =>
  `reaches_foreign(t.account_id, '${kind}', t.id, ${own})`;

const ofList = `t.list_id = any (${own})`;
const through = (table: string, column: string) =>
  `exists (select from ${table} p where p.account_id = t.account_id and p.id = t.${column})`;

/**
 * For a condition of which only a part looks elsewhere, where the planner would read all rows into a hash table for it, even for a page
 * of 25: "offset 0" keeps it from that, and each row costs one look into an index.
 */
const row = (table: string, condition: string) =>
  `exists (select from ${table} x where x.account_id = t.account_id and ${condition} offset 0)`;
const ofCampaign = through('campaign', 'campaign_id');

/** Of a segment that has been deleted there is none. */
const listOfExclusion = `case x.kind when 'list' then x.target_id else (
    select g.list_id from every_segment g where g.account_id = x.account_id and g.id = x.target_id
  ) end`;

/** Whether a segment is of a foreign list, or its conditions may name something by its id. Most do neither. */
const leadsOn = (segment: string) => `exists (
    select from every_segment g
    where g.account_id = x.account_id and g.id = ${segment}
      and (g.list_id <> all (${own}) or g.filter::text ~ '[abcdf][0-9a-f]{7}')
  )`;

/**
 * All that the campaign has to do with is of the caller's lists; a new one has no list yet. What costs most is asked last, and most have no
 * segments.
 */
const goesToOwn = `t.type <> 'message' and case
    when not ${row('every_campaign_list', 'x.campaign_id = t.id')} then ${isNew}
    when t.lost_list or ${row('every_campaign_list', `x.campaign_id = t.id and x.list_id <> all (${own})`)} then false
    when ${row('every_campaign_exclusion', `x.campaign_id = t.id and coalesce(${listOfExclusion}, -1) <> all (${own})`)} then false
    when t.auto ? 'automation'
      or ${row('every_campaign_segment', `x.campaign_id = t.id and ${leadsOn('x.segment_id')}`)}
      or ${row('every_campaign_exclusion', `x.campaign_id = t.id and x.kind = 'segment' and ${leadsOn('x.target_id')}`)}
      then not ${isAcross('campaign')}
    else true
  end`;

/**
 * THE list of narrowed tables, each with the condition on its rows (alias t). Tables that are not in it belong to the account as a whole.
 * Later conditions may use earlier views.
 */
export const narrowedTables: Readonly<Record<string, string>> = {
  list: `t.id = any (${own}) or ${inTrigger}`,
  list_text: ofList,
  list_label: ofList,
  sending_day: ofList,
  field: ofList,
  subscription: `${ofList} or ${inTrigger}`,
  member_tally: `${ofList} or ${inTrigger}`,
  // A new one has no subscription yet.
  contact: `${row('every_subscription', `x.contact_id = t.id and x.list_id = any (${own})`)} or ${inTrigger} or (
      ${isNew} and not ${row('every_subscription', 'x.contact_id = t.id')}
    )`,
  consent: `${ofList} or ${inTrigger} or (t.list_id is null and ${row('contact', 'x.id = t.contact_id')})`,
  // An event is of no list: it is shown of contacts that are on no other one.
  contact_event: `(
      ${row('contact', 'x.id = t.contact_id')}
      and not ${row('every_subscription', `x.contact_id = t.contact_id and x.list_id <> all (${own})`)}
    ) or ${inTrigger}`,
  segment: `${ofList} and not ${isAcross('segment')}`,
  segment_watch: through('segment', 'segment_id'),
  segment_member: through('segment', 'segment_id'),
  clean_up_rule: ofList,
  import: ofList,
  // Files of one's own, and those of imports into one's lists.
  upload: `t.made_by = current_setting('postrider.caller') or exists (
      select from import i where i.account_id = t.account_id and i.upload_id = t.id
    )`,
  import_problem: through('import', 'import_id'),
  import_change: `${through('import', 'import_id')} or ${inTrigger}`,
  signup_refusal: ofList,
  ignored_name: ofList,
  confirmation_count: ofList,
  campaign: goesToOwn,
  campaign_list: `${ofList} and ${ofCampaign}`,
  ...Object.fromEntries(
    [
      ...['campaign_segment', 'campaign_exclusion', 'campaign_test', 'campaign_variant', 'campaign_version'],
      ...['campaign_asset', 'campaign_attachment', 'campaign_edit', 'campaign_presence', 'campaign_revision'],
      ...['inline_image', 'link', 'hit', 'engagement', 'link_engagement', 'recipient_summary', 'recipient_block'],
      ...['new_reaction', 'kept_report', 'frozen_content', 'delivery', 'chunk', 'tally', 'exclusion', 'occasion_plan'],
      ...['freezing', 'folded_report', 'past_occasion'],
      ...['notice', 'held_recipient', 'refused', 'refused_reply', 'refusals', 'lost_attempt', 'former_recipient'],
      ...['conversion', 'message', 'message_recipient', 'campaign_label', 'campaign_watch'],
      ...['campaign_approval', 'campaign_approval_step', 'campaign_comment'],
    ].map((table) => [table, ofCampaign]),
  ),
  automation: `${inTrigger} or (${ofList} and not ${isAcross('automation')})`,
  ...Object.fromEntries(
    ['automation_version', 'automation_tally', 'automation_webhook', 'automation_member', 'automation_label'].map(
      (table) => [table, through('automation', 'automation_id')],
    ),
  ),
  // A name may be that of another client: the labels of what the caller sees.
  label: ['list', 'campaign', 'automation']
    .map((kind) => `exists (select from ${kind}_label x where x.account_id = t.account_id and x.label_id = t.id)`)
    .join(' or '),
  automation_run: `${through('automation', 'automation_id')} or ${inTrigger}`,
  automation_signal: `${through('automation', 'automation_id')} or ${inTrigger}`,
  incoming_webhook: ofList,
  recurring: through('campaign', 'original_id'),
  recurring_issue: through('recurring', 'recurring_id'),
  recurring_item: through('recurring', 'recurring_id'),
};

/** The tables that conditions read as they are. */
const wholeTables = [...['subscription', 'segment', 'campaign_list', 'campaign_segment', 'campaign_exclusion']];

/**
 * Whether anything that a thing leads to is a list that is not the caller's, or a campaign that has lost one: who got a campaign is who
 * was in its segments, and who is in a segment is what its conditions say. A campaign leads to its lists, segments and exclusions, and to
 * the automation whose email it is; a segment and an automation lead to their list and to all that their conditions, triggers and steps
 * name. Each is followed once: a segment may name a campaign that goes to it.
 */
const reachesForeign = (base: string) => `
  create function reaches_foreign(account int, kind text, id int, own int[]) returns boolean language sql stable cost 1000
  -- The planner takes it for large: compiling it would take longer than running it.
  set jit = off
  begin atomic
    with recursive reached (kind, id) as (
      select $2, $3
      union
      select n.kind, n.id
      from reached r
      cross join lateral (
        select 'list' as kind, l.list_id as id
        from ${base}.campaign_list l
        where r.kind = 'campaign' and l.account_id = $1 and l.campaign_id = r.id
        union all
        select 'segment', s.segment_id
        from ${base}.campaign_segment s
        where r.kind = 'campaign' and s.account_id = $1 and s.campaign_id = r.id
        union all
        select x.kind, x.target_id
        from ${base}.campaign_exclusion x
        where r.kind = 'campaign' and x.account_id = $1 and x.campaign_id = r.id
        union all
        select 'automation', (c.auto ->> 'automation')::int
        from ${base}.campaign c
        where r.kind = 'campaign' and c.account_id = $1 and c.id = r.id and c.auto ? 'automation'
        union all
        select 'list', g.list_id from ${base}.segment g where r.kind = 'segment' and g.account_id = $1 and g.id = r.id
        union all
        select 'list', a.list_id from ${base}.automation a where r.kind = 'automation' and a.account_id = $1 and a.id = r.id
        union all
        select k.kind, k.id
        from (
          select g.filter as given from ${base}.segment g where r.kind = 'segment' and g.account_id = $1 and g.id = r.id
          union all
          select a.definition from ${base}.automation a where r.kind = 'automation' and a.account_id = $1 and a.id = r.id
        ) d
        cross join lateral jsonb_path_query(d.given, 'strict $.** ? (@.type() == "string")') as v (text)
        cross join lateral regexp_split_to_table(v.text #>> '{}', '[^0-9a-f]+') as w (word)
        -- As parseId of ids.ts.
        cross join lateral (
          select (strpos('abcdf', left(w.word, 1)) - 1) * 268435456 + ('x' || right(w.word, 7))::bit(28)::int as id
          where w.word ~ '^[abcdf][0-9a-f]{7}$'
        ) i
        cross join lateral (
          select 'list' as kind, l.id from ${base}.list l where l.account_id = $1 and l.id = i.id
          union all
          select 'campaign', c.id from ${base}.campaign c where c.account_id = $1 and c.id = i.id
          union all
          select 'segment', g.id from ${base}.segment g where g.account_id = $1 and g.id = i.id
        ) k
      ) n
    )
    select exists (select from reached r where r.kind = 'list' and r.id <> all ($4))
      or exists (
        select from reached r
        join ${base}.campaign c on c.account_id = $1 and c.id = r.id
        where r.kind = 'campaign'
          and (
            c.type = 'message'
            or c.lost_list
            or not exists (select from ${base}.campaign_list l where l.account_id = $1 and l.campaign_id = c.id)
          )
      );
  end`;

/** The statements that make the schema: `tables` are those that the database has. */
function statements(schema: string, base: string, tables: ReadonlySet<string>): string[] {
  const view = (name: string, from: string, where = '') =>
    `create view ${name} as select * from ${base}.${from} t${where === '' ? '' : ` where ${where}`}`;
  return [
    `create schema ${schema}`,
    `set local search_path = ${schema}`,
    // Read by every transaction that is narrowed: without the schema it fails.
    `create view narrowed_to as select ${own} as lists`,
    reachesForeign(base),
    ...wholeTables.filter((name) => tables.has(name)).map((name) => view(`every_${name}`, name)),
    ...Object.entries(narrowedTables)
      .filter(([name]) => tables.has(name))
      .map(([name, where]) => view(name, name, where)),
  ];
}

/** Of the definitions: a program with other ones makes the views again. */
export const narrowedHash = createHash('sha256')
  .update(JSON.stringify(statements('narrowed', 'base', new Set([...Object.keys(narrowedTables), ...wholeTables]))))
  .digest('hex');

/** The name of the schema with the views of the tables in `base`. */
export const narrowedSchema = (base: string): string => `${base}_narrowed`;

/** Before migrations, which could not change a column that a view has. */
export async function dropNarrowed(client: pg.ClientBase): Promise<void> {
  await client.query(`drop schema if exists ${(await namesOf(client)).schema} cascade`);
}

/** Makes the views of the tables in the current schema, unless they are there as this program has them. */
export async function makeNarrowed(client: pg.ClientBase): Promise<void> {
  const { schema, base, found } = await namesOf(client);
  if (found === narrowedHash) return;
  const { rows } = await client.query<{ name: string }>(
    "select relname as name from pg_class where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')",
  );
  const tables = new Set(rows.map(({ name }) => name));
  const isWhole = [...Object.keys(narrowedTables), ...wholeTables].every((name) => tables.has(name));
  await client.query('begin');
  try {
    await client.query(`drop schema if exists ${schema} cascade`);
    for (const statement of isWhole ? statements(schema, base, tables) : []) await client.query(statement);
    if (isWhole) await client.query(`comment on schema ${schema} is '${narrowedHash}'`);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
}

async function namesOf(client: pg.ClientBase): Promise<{ schema: string; base: string; found: string | null }> {
  const { rows } = await client.query<{ schema: string; base: string; found: string | null }>(
    `select quote_ident(current_schema() || '_narrowed') as schema, quote_ident(current_schema()) as base,
      obj_description(to_regnamespace(quote_ident(current_schema() || '_narrowed')), 'pg_namespace') as found`,
  );
  return rows[0]!;
}

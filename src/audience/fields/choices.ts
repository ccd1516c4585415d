// What a change of the choices or the type of a field does to the values of members, and to the segments that ask for them. The
// caller has locked the fields of the list, so no segment comes to ask for a choice in the meantime.
import type { Context } from '../../base/context.ts';
import { Fault, fault } from '../../base/faults.ts';
import { type Sql, sql } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import { chosenIn } from '../model/choice-names.ts';
import { choiceKey, chosenInWords, storedChoices } from '../model/chosen.ts';
import { type Field, readValue } from '../model/field.ts';
import { changedConditions, type SegmentFilter, usesField } from '../model/segment.ts';
import { readFilter } from '../segments/read-filter.ts';
import { needNotInAutomations } from './automations.ts';
import { needNotCompared } from './rename.ts';

/** The new names of choices by the present ones. @throws Fault FIELD_INVALID */
export function renamedChoices(field: Field, given: readonly { from: string; to: string }[]): Map<string, string> {
  const renamed = new Map<string, string>();
  for (const [no, { from, to }] of given.entries()) {
    const choice = field.choices.find((own) => choiceKey(own) === choiceKey(from));
    if (choice === undefined)
      throw fault('FIELD_INVALID', 'field.choice_unknown', {
        member: `options.rename_choices.${no}.from`,
        value: from.slice(0, 40),
      });
    const name = to.trim().replace(/\s+/g, ' ').normalize('NFC');
    if (name !== choice) renamed.set(choice, name);
  }
  const names = field.choices.map((choice) => choiceKey(renamed.get(choice) ?? choice));
  const twice = [...renamed.values()].find((name) => names.filter((key) => key === choiceKey(name)).length > 1);
  if (twice !== undefined)
    throw fault('FIELD_INVALID', 'field.choice_taken', {
      member: 'options.rename_choices',
      value: twice.slice(0, 40),
    });
  return renamed;
}

/** A value with the new names of its choices. */
export function withRenamed({ type }: Field, value: string, renamed: ReadonlyMap<string, string>): string {
  if (renamed.size === 0) return value;
  if (type !== 'multiple_choice') return renamed.get(value) ?? value;
  const names = chosenIn(value).map((name) => renamed.get(name) ?? name);
  return storedChoices(names, names);
}

/**
 * Values and segments after choices were renamed, removed or put in another order.
 * @throws Fault FIELD_INVALID, CAMPAIGN_STATE_CONFLICT
 */
export async function changeChoices(
  context: Context,
  listId: number,
  before: Field,
  after: Field,
  { renamed, drops }: { renamed: ReadonlyMap<string, string>; drops: boolean },
): Promise<void> {
  const isMultiple = after.type === 'multiple_choice';
  const nameAfter = (choice: string) => {
    const name = renamed.get(choice) ?? choice;
    return after.choices.find((own) => choiceKey(own) === choiceKey(name));
  };
  const removed = isMultiple ? before.choices.filter((choice) => nameAfter(choice) === undefined) : [];
  const kept = before.choices.filter((choice) => !removed.includes(choice));
  const isSame = kept.every(
    (choice, i) => choice === nameAfter(choice) && (!isMultiple || choice === after.choices[i]),
  );
  if (isSame && removed.length === 0) return;
  await needNoImport(context, listId);
  if (renamed.size > 0 || removed.length > 0) {
    await needNotInAutomations(context, listId, before.tag);
    await needNotCompared(context, listId, before.tag);
  }
  await changeSegments(context, listId, before, (value, place) => {
    if (!isMultiple) return renamed.get(value) ?? value;
    const names = chosenIn(value);
    const gone = names.find((name) => removed.includes(name));
    if (gone !== undefined) throw usedBy(place, gone);
    return storedChoices(
      names.map((name) => nameAfter(name) ?? name),
      after.choices,
    );
  });
  const next = (value: string) =>
    isMultiple
      ? storedChoices(
          chosenIn(value).flatMap((name) => nameAfter(name) ?? []),
          after.choices,
        )
      : (renamed.get(value) ?? value);
  const counts = new Map<string, number>();
  const count = (value: string, members: number) => {
    for (const name of isMultiple ? chosenIn(value) : [])
      if (removed.includes(name)) counts.set(name, (counts.get(name) ?? 0) + members);
  };
  await rewrite(context, valuesOfMembers(context, listId, before.tag), next, count);
  const [lost] = counts;
  if (lost && !drops)
    throw fault('FIELD_INVALID', 'field.choice_in_use', {
      member: 'options.choices',
      value: lost[0].slice(0, 40),
      count: lost[1],
    });
  await rewrite(context, valuesBeforeImports(context, listId, before.tag), next);
}

async function rewrite(
  context: Context,
  place: Place,
  next: (value: string) => string,
  count: (value: string, rows: number) => void = () => {},
): Promise<void> {
  const changes = new Map<string, string>();
  for await (const { value, count: rows } of valuesIn(context, place)) {
    count(value, rows);
    const after = next(value);
    if (after !== value) changes.set(value, after);
  }
  await replaceValues(context, place, changes);
}

/** Rewrites all values as the new type stores them; returns how many it does not read, when the caller undoes everything. */
export async function rereadValues(
  context: Context,
  listId: number,
  before: Field,
  after: Field,
): Promise<{ count: number; example: string } | undefined> {
  const reread = (value: string): string | undefined => {
    const shown = before.type === 'multiple_choice' ? chosenInWords(value) : value;
    const isOne = before.type === 'dropdown' && after.type === 'multiple_choice';
    try {
      return readValue(after, isOne ? [value] : shown);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      return undefined;
    }
  };
  const misfits: { value: string; count: number }[] = [];
  await rewrite(
    context,
    valuesOfMembers(context, listId, before.tag),
    (value) => reread(value) ?? value,
    (value, count) => {
      if (reread(value) === undefined) misfits.push({ value, count });
    },
  );
  if (misfits.length > 0)
    return { count: misfits.reduce((sum, { count }) => sum + count, 0), example: misfits[0]!.value };
  await rewrite(context, valuesBeforeImports(context, listId, before.tag), (value) => reread(value) ?? value);
  return undefined;
}

/** Segments whose conditions the new type does not have. @throws Fault CAMPAIGN_STATE_CONFLICT */
export async function needFittingConditions(
  context: Context,
  listId: number,
  tag: string,
  after: Field,
): Promise<void> {
  await needNoImport(context, listId);
  await needNotInAutomations(context, listId, tag);
  await needNotCompared(context, listId, tag);
  for (const segment of await segmentsWith(context, listId, tag)) {
    const filter = changedConditions(segment.filter, tag, (condition) => {
      try {
        return readFilter([{ ...after, tag }], [condition])[0] as typeof condition;
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        throw fault('CAMPAIGN_STATE_CONFLICT', 'field.used_by_segment', {
          member: 'options.field_type',
          tag,
          segments: titleOf(segment),
        });
      }
    });
    await saveFilter(context, segment, filter);
  }
}

/** An import has read the fields when it began. @throws Fault CAMPAIGN_STATE_CONFLICT */
async function needNoImport({ tx, account }: Context, listId: number): Promise<void> {
  const running = await tx.row<{ id: number }>(sql`
    select id
    from import
    where account_id = ${account.id}
      and list_id = ${listId}
      and state in ('running', 'undoing')
    limit 1`);
  if (running)
    throw fault('CAMPAIGN_STATE_CONFLICT', 'field.import_running', { member: 'id', import: formatId(running.id) });
}

type Segment = { id: number; title: string; filter: SegmentFilter };

async function changeSegments(
  context: Context,
  listId: number,
  { tag }: Field,
  change: (value: string, segment: Segment) => string,
): Promise<void> {
  for (const segment of await segmentsWith(context, listId, tag)) {
    const filter = changedConditions(segment.filter, tag, (condition) => {
      const isSeveral = condition.condition === 'isoneof' || condition.condition === 'notoneof';
      const value = isSeveral
        ? condition.value
            .split(';')
            .map((item) => change(item, segment))
            .join(';')
        : change(condition.value, segment);
      return { ...condition, value };
    });
    await saveFilter(context, segment, filter);
  }
}

async function segmentsWith({ tx, account }: Context, listId: number, tag: string): Promise<Segment[]> {
  const segments = await tx.rows<Segment>(sql`
    select id, title, filter
    from segment
    where account_id = ${account.id}
      and list_id = ${listId}
    order by id
    for no key update`);
  return segments.filter(({ filter }) => usesField(filter, tag));
}

async function saveFilter({ tx, account }: Context, { id, filter: before }: Segment, after: SegmentFilter) {
  if (JSON.stringify(before) === JSON.stringify(after)) return;
  await tx.run(sql`
    update segment
    set filter = ${JSON.stringify(after)}, changed_at = now()
    where account_id = ${account.id}
      and id = ${id}`);
}

const titleOf = ({ id, title }: Segment) => `${formatId(id)} "${title}"`;

const usedBy = (segment: Segment, value: string) =>
  fault('CAMPAIGN_STATE_CONFLICT', 'field.choice_in_segment', {
    member: 'options.choices',
    segments: titleOf(segment),
    value: value.slice(0, 40),
  });

const pageSize = 2_000;

/** Where values of a field are: `rows` of a statement, and the value of one. */
type Place = { rows: Sql; value: Sql; write(rows: Sql): Sql };

/** Those of the members. */
function valuesOfMembers({ account }: Context, listId: number, tag: string): Place {
  const value = sql`(s.fields ->> ${tag}::text)`;
  const where = sql`s.account_id = ${account.id} and s.list_id = ${listId}`;
  return {
    value,
    rows: sql`subscription s where ${where}`,
    write: (changes) => sql`
      update subscription s
      set fields = jsonb_set(s.fields, array[${tag}::text], to_jsonb(c.after))
      from ${changes}
      where ${where} and ${value} = c.before`,
  };
}

/** Those that the undo of an import would restore. */
function valuesBeforeImports({ account }: Context, listId: number, tag: string): Place {
  const path = sql`array['subscription', 'fields', ${tag}::text]`;
  const value = sql`(h.before #>> ${path})`;
  const where = sql`
    h.account_id = ${account.id}
    and h.import_id in (select id from import where account_id = ${account.id} and list_id = ${listId})`;
  return {
    value,
    rows: sql`import_change h where ${where}`,
    write: (changes) => sql`
      update import_change h
      set before = jsonb_set(h.before, ${path}, to_jsonb(c.after))
      from ${changes}
      where ${where} and ${value} = c.before`,
  };
}

/** The values of a place, each once with the number of rows that have it. */
async function* valuesIn({ tx }: Context, { rows, value }: Place): AsyncGenerator<{ value: string; count: number }> {
  for (let after = ''; ; ) {
    const page = await tx.rows<{ value: string; count: number }>(sql`
      select ${value} collate "C" as value, count(*)::int as count
      from ${rows}
        and ${value} collate "C" > ${after}
      group by 1
      order by 1
      limit ${pageSize}`);
    yield* page;
    if (page.length < pageSize) return;
    after = page.at(-1)!.value;
  }
}

/** Replaces values, all in one statement: what becomes of one is not changed again. */
async function replaceValues({ tx }: Context, place: Place, changes: ReadonlyMap<string, string>): Promise<void> {
  if (changes.size === 0) return;
  await tx.run(
    place.write(sql`unnest(${[...changes.keys()]}::text[], ${[...changes.values()]}::text[]) as c (before, after)`),
  );
}

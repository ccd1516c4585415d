// Random filters over random contacts: the compiled SQL matches exactly the members that a plain evaluation matches.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { type TestApp, testApp } from '../../../test/support/installation/app.ts';
import { runs } from '../../../test/support/run/runs.ts';
import { Fault } from '../../base/faults.ts';
import { sql, type Tx } from '../../db/connect.ts';
import { formatId, parseId } from '../../db/ids.ts';
import { summariseRecipients } from '../../tracking/summaries.ts';
import { chosenIn } from '../model/choice-names.ts';
import { storedChoices } from '../model/chosen.ts';
import {
  type Condition,
  type ConditionName,
  conditions,
  isGroup,
  type Match,
  matches,
  type SegmentFilter,
} from '../model/segment.ts';
import { segmentCondition } from './condition-sql.ts';
import { filterInWords } from './describe.ts';
import { withJoins } from './joins.ts';
import { type Joins, joinsOf, type SegmentScope, wholeList } from './scope.ts';

type Member = {
  name: string;
  fields: Record<string, string>;
  domain: string;
  language: string;
  type: string;
  daysAgo: number;
  opened: boolean;
  tags: string[];
  topics: string[];
  /** How many days ago it opened. */
  openedAgo: number;
  /** How many days ago it opened a second campaign, which was sent 15 days ago and of which no segment asks by name. */
  secondAgo: number | null;
  got: boolean;
};

const texts = [
  '',
  'Ada',
  'ada',
  'a%b',
  "O'Hara",
  'x_y',
  '7',
  '10',
  '-3.5',
  '2024-05-01',
  '2024-02-30',
  '9e5',
  '\\',
  '; drop',
];
const text = fc.constantFrom(...texts);
/** Names of choices of which some begin, end or are part of others as they are stored. */
const topics = ['Tea', 'Tea, Rum', 'Rum', 'Rum\\', 'Rum\\, Tea', '%', "'x", ','];
const someMember = fc.record({
  name: text,
  age: text,
  domain: fc.constantFrom('example.com', 'example.org'),
  language: fc.constantFrom('', 'en', 'de'),
  type: fc.constantFrom('html', 'text'),
  tags: fc.uniqueArray(fc.constantFrom('vip', 'press', 'two words')),
  topics: fc.subarray(topics),
  daysAgo: fc.integer({ min: 0, max: 40 }),
  got: fc.boolean(),
  opened: fc.boolean(),
  openedAgo: fc.integer({ min: 0, max: 40 }),
  secondAgo: fc.option(fc.integer({ min: 0, max: 14 })),
});
const cid = formatId(12_345);

const choiceConditions: ConditionName[] = ['hasany', 'hasall', 'hasnone'];

const someCondition: fc.Arbitrary<Condition> = fc.oneof(
  fc.record({
    field: fc.constantFrom('FNAME', 'AGE', 'DOMAIN', 'LANGUAGE', 'EMAIL_TYPE'),
    // Refused for these fields.
    condition: fc.constantFrom(
      ...conditions.filter((name) => !['next', 'anniversary', ...choiceConditions].includes(name)),
    ),
    value: fc.oneof(text, fc.constantFrom('example.com', 'de', 'Ada;7', 'html', 'a', '%', '_')),
  }),
  fc.record({
    field: fc.constant('contact_tag'),
    condition: fc.constantFrom<ConditionName>('is', 'not', 'isany', 'isoneof', 'notoneof'),
    value: fc.constantFrom('vip', 'VIP', ' two  words ', 'press; Vip', 'none'),
  }),
  fc.record({
    field: fc.constant('TOPICS'),
    condition: fc.constantFrom<ConditionName>(...choiceConditions, 'is', 'not', 'isany'),
    value: fc.subarray(topics, { minLength: 1 }).map((chosen) => storedChoices(chosen, topics)),
  }),
  fc.record({
    field: fc.constantFrom('signup_time'),
    condition: fc.constantFrom<ConditionName>('greater', 'less'),
    value: fc.integer({ min: 0, max: 40 }).map((days) => `${days} days`),
  }),
  fc.record({
    field: fc.constantFrom('opened', 'not_opened', 'was_sent', 'clicked'),
    condition: fc.constantFrom<ConditionName>('is', 'not'),
    value: fc.constant(cid),
  }),
  fc.record({
    field: fc.constantFrom('opened', 'clicked'),
    condition: fc.constantFrom<ConditionName>('is', 'not'),
    value: fc.integer({ min: 1, max: 40 }).map((days) => `${days} days`),
  }),
);
const someFilter: fc.Arbitrary<SegmentFilter> = fc.letrec<{ filter: SegmentFilter }>((tie) => ({
  filter: fc.array(
    fc.oneof({ maxDepth: 3 }, someCondition, fc.record({ match: fc.constantFrom(...matches), filter: tie('filter') })),
    { maxLength: 4 },
  ),
})).filter;

function holds(match: Match, filter: SegmentFilter, member: Member): boolean {
  const each = (one: SegmentFilter[number]) =>
    isGroup(one) ? holds(one.match, one.filter, member) : fits(one, member);
  return match === 'all' ? filter.every(each) : filter.some(each) !== (match === 'none');
}

function fits({ field, condition, value }: Condition, member: Member): boolean {
  const not = condition === 'not';
  switch (field) {
    case 'opened': {
      const opened = member.got && member.opened;
      if (value === cid) return opened !== not;
      const days = Number(value.split(' ')[0]);
      const openedSecond = member.secondAgo !== null && member.secondAgo < days;
      return ((opened && member.openedAgo < days) || openedSecond) !== not;
    }
    case 'contact_tag': {
      const several = condition === 'isoneof' || condition === 'notoneof';
      const wanted = (several ? value.split(';') : [value]).map((tag) => tag.trim().replace(/ +/g, ' ').toLowerCase());
      if (condition === 'isany') return member.tags.length > 0;
      return member.tags.some((tag) => wanted.includes(tag)) !== (not || condition === 'notoneof');
    }
    case 'TOPICS': {
      const wanted = topics.filter((topic) => chosenIn(value).includes(topic));
      const has = wanted.filter((topic) => member.topics.includes(topic)).length;
      if (condition === 'isany') return member.topics.length > 0;
      if (condition === 'hasany') return has > 0;
      if (condition === 'hasnone') return has === 0;
      if (condition === 'hasall') return has === wanted.length;
      return (has === wanted.length && has === member.topics.length) !== not;
    }
    case 'was_sent':
      return member.got !== not;
    case 'not_opened':
      return not ? member.got && member.opened : member.got && !member.opened;
    case 'clicked':
      return not;
    case 'signup_time': {
      const days = Number(value.split(' ')[0]);
      // Members joined an hour after their day began.
      return condition === 'greater' ? member.daysAgo < days : member.daysAgo >= days;
    }
    case 'DOMAIN':
      return compare(member.domain, condition, value);
    case 'LANGUAGE':
      return compare(member.language, condition, value);
    case 'EMAIL_TYPE':
      return compare(member.type, condition, value);
    default:
      return compare(member.fields[field] ?? '', condition, value);
  }
}

const isNumber = (one: string) => /^[+-]?\d{1,15}(\.\d{1,10})?$/.test(one);
const isDay = (one: string) => /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/.test(one);

function compare(stored: string, condition: ConditionName, value: string): boolean {
  const [have, want] = [stored.toLowerCase(), value.toLowerCase()];
  const several = want.split(';').map((item) => item.trim());
  switch (condition) {
    case 'is':
      return have === want;
    case 'not':
      return have !== want;
    case 'isany':
      return have !== '';
    case 'isoneof':
      return several.includes(have);
    case 'notoneof':
      return !several.includes(have);
    case 'contains':
      return have.includes(want);
    case 'notcontain':
      return !have.includes(want);
    case 'starts':
      return have.startsWith(want);
    case 'ends':
      return have.endsWith(want);
    default: {
      const sign = condition === 'greater' ? 1 : -1;
      if (isNumber(want)) return isNumber(have) && Math.sign(Number(have) - Number(want)) === sign;
      if (/^\d{4}-\d{2}-\d{2}$/.test(want) && !isDay(have)) return false;
      return have !== '' && (have > want ? 1 : have < want ? -1 : 0) === sign;
    }
  }
}

let app: TestApp;
let list: string;
let members: Member[];
before(async () => {
  app = await testApp();
  list = await app.call<string>('listCreate', { title: 'Letter' });
  const drawn = fc.sample(someMember, { numRuns: 120, seed: 7 });
  members = drawn.map(({ name, age, ...rest }) => ({
    ...rest,
    name,
    fields: { FNAME: name, AGE: age, TOPICS: storedChoices(rest.topics, topics) },
  }));
  const rows = members.map((one, i) => ({ ...one, email: `m${i}@${one.domain}`, id: i + 1 }));
  const { id } = app.account;
  const given = sql`jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as m(id int, email text, domain text, language text, type text, tags text[], fields jsonb, "daysAgo" int, got boolean, opened boolean, "openedAgo" int, "secondAgo" int)`;
  await app.app.db.run(sql`
    insert into contact (account_id, id, email, email_key, domain, language, tags)
    select ${id}::int, id, email, email, domain, language, tags from ${given}`);
  await app.app.db.run(sql`
    insert into subscription (account_id, list_id, contact_id, status, email_type, fields, signup_at)
    select ${id}::int, ${parseId(list)}::int, id, 'subscribed', type, fields,
      now() - make_interval(days => "daysAgo", hours => 1)
    from ${given}`);
  await app.app.db.run(sql`
    insert into campaign (account_id, id, type, status, title, subject, from_name, reply_to)
    values (${id}, 12345, 'plain', 'sent', 'News', 'News', 'Editors', 'editors@example.com')`);
  await app.app.db.run(sql`
    insert into delivery (account_id, campaign_id, seq, month, contact_id, list_id, email, domain, state, due_at)
    select ${id}::int, 12345, id, (select month from campaign where account_id = ${id} and id = 12345), id, ${parseId(list)}::int, email, domain, 2, now()
    from ${given}
    where got`);
  await app.app.db.run(sql`
    insert into engagement (account_id, campaign_id, seq, month, contact_id, opens, last_open_at)
    select ${id}::int, 12345, m.id, c.month, m.id, 1, now() - make_interval(days => "openedAgo", hours => 1)
    from ${given}
    join campaign c on c.account_id = ${id} and c.id = 12345
    where got and opened`);
  await app.app.db.run(sql`
    insert into campaign (account_id, id, type, status, title, subject, from_name, reply_to, send_at)
    values (${id}, 12346, 'plain', 'sent', 'Second', 'News', 'Editors', 'editors@example.com', now() - interval '15 days')`);
  await app.app.db.run(sql`
    insert into delivery (account_id, campaign_id, seq, month, contact_id, list_id, email, domain, state, due_at)
    select ${id}::int, c.id, m.id, c.month, m.id, ${parseId(list)}::int, email, m.domain, 2, now()
    from ${given}
    join campaign c on c.account_id = ${id} and c.id = 12346`);
  await app.app.db.run(sql`
    insert into engagement (account_id, campaign_id, seq, month, contact_id, opens, last_open_at)
    select ${id}::int, c.id, m.id, c.month, m.id, 1, now() - make_interval(days => "secondAgo", hours => 1)
    from ${given}
    join campaign c on c.account_id = ${id} and c.id = 12346
    where "secondAgo" is not null`);
  await app.app.db.run(sql`
    insert into tally (account_id, campaign_id, shard, recipients, accepted)
    select account_id, campaign_id, 0, count(*), count(*)
    from delivery
    group by account_id, campaign_id`);
  for (const campaign of [12345, 12346])
    await summariseRecipients({ app: app.app }, { account_id: id, campaign_id: campaign }, 1);
});
after(() => app?.close());

/** Asked member by member and of the whole list at once, with joins and without, which must come to the same. */
async function held(match: Match, filter: SegmentFilter): Promise<number[]> {
  const place = { accountId: app.account.id, zone: app.account.timeZone, listId: parseId(list) };
  return app.app.db.transaction(async (tx) => {
    const each = await askedIn(tx, match, filter, place);
    assert.deepEqual(await askedIn(tx, match, filter, { ...place, few: true }), each);
    const whole = await wholeList(tx, place, filter);
    assert.deepEqual(await askedIn(tx, match, filter, whole), each);
    const all = (await withJoins(tx, whole, filter)).whole!.joins!;
    for (const read of [[], all.summarised]) {
      const added: Joins['added'] = new Map();
      const joined = { ...whole, whole: { ...whole.whole!, joins: { ...all, summarised: read, added } } };
      assert.deepEqual(await askedIn(tx, match, filter, joined), each);
      if (read.length === 0) joins += added.size;
      else blocks += added.size;
    }
    return each;
  });
}

let joins = 0;
let blocks = 0;

async function askedIn(tx: Tx, match: Match, filter: SegmentFilter, place: SegmentScope): Promise<number[]> {
  const condition = segmentCondition(match, filter, place);
  const rows = await tx.rows<{ id: number }>(sql`
    select s.contact_id as id
    from subscription s
    join contact c on c.account_id = s.account_id and c.id = s.contact_id
    ${joinsOf(place)}
    where s.account_id = ${place.accountId} and s.list_id = ${place.listId} and ${condition}
    order by 1`);
  return rows.map((row) => row.id);
}

test('the SQL of any filter matches the same members as a plain evaluation', async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom('all' as const, 'any' as const), someFilter, async (match, filter) => {
      const expected = members.flatMap((member, i) => (holds(match, filter, member) ? [i + 1] : []));
      assert.deepEqual(await held(match, filter), expected);
    }),
    { numRuns: runs(300) },
  );
  assert.ok(joins > 0 && blocks > 0, `${joins} joins and ${blocks} with blocks were made`);
});

test('each single condition matches the same members as a plain evaluation', async () => {
  await fc.assert(
    fc.asyncProperty(someCondition, async (one) => {
      const expected = members.flatMap((member, i) => (fits(one, member) ? [i + 1] : []));
      assert.deepEqual(await held('all', [one]), expected);
    }),
    { numRuns: runs(300) },
  );
});

test('a preview returns the count, some members and the conditions in words, also those in groups', async () => {
  const filter = [
    { field: 'DOMAIN', condition: 'is', value: 'example.org' },
    {
      match: 'any',
      filter: [
        { field: 'FNAME', condition: 'contains', value: 'a' },
        { field: 'signup_time', condition: 'greater', value: '30 days' },
      ],
    },
  ];
  const preview = await app.call<{ count: number; sample: unknown[]; reading: string }>('segmentPreview', {
    list,
    match: 'all',
    filter,
  });
  assert.equal(preview.count, (await held('all', filter as SegmentFilter)).length);
  assert.equal(preview.sample.length, Math.min(10, preview.count));
  assert.equal(
    preview.reading,
    'The domain of the address is “example.org” and (First Name contains “a” or the sign-up lies within the last 30 days)',
  );
  assert.equal(
    filterInWords('all', filter as SegmentFilter, 'de'),
    'die Domain der Adresse ist „example.org“ und (FNAME enthält „a“ oder die Anmeldung liegt in den letzten 30 Tagen)',
  );
});

test('the latest campaigns of a list are meant by "last N"', async () => {
  const now = (value: string) => held('all', [{ field: 'was_sent', condition: 'is', value }]);
  assert.deepEqual(await now('last 1'), []);
  await app.app.db.run(sql`
    update campaign set send_at = now() where account_id = ${app.account.id} and id = 12345`);
  await app.app.db.run(
    sql`insert into campaign_list (account_id, campaign_id, list_id) values (${app.account.id}, 12345, ${parseId(list)})`,
  );
  assert.deepEqual(
    await now('last 1'),
    members.flatMap((one, i) => (one.got ? [i + 1] : [])),
  );
});

test('too many conditions, too deep groups and invalid groups are refused with their path', async () => {
  const leaf = { field: 'FNAME', condition: 'is', value: 'x' };
  const group = (inside: unknown) => ({ match: 'any', filter: [inside] });
  const wrong = (filter: unknown[], words: RegExp) =>
    assert.rejects(app.call('segmentPreview', { list, filter }), (error) => {
      assert.ok(error instanceof Fault && error.code === 315, String(error));
      assert.match(error.message, words);
      return true;
    });
  await app.call('segmentPreview', { list, filter: [group(group(group(leaf)))] });
  await wrong([group(group(group(group(leaf))))], /nested deeper than 4/);
  await wrong([{ match: 'all', filter: Array.from({ length: 51 }, () => leaf) }], /filter/);
  await wrong([leaf, { match: 'one', filter: [leaf] }], /filter\.1\.match/);
  await wrong([group({ field: 'SHOE', condition: 'is' })], /filter\.0\.filter\.0\.field/);
  await wrong([group({ ...leaf, colour: 1 })], /filter\.0\.filter\.0\.colour/);
});

// Calls of every method of the family at the JSON door, right and wrong, and their answers without what differs between two
// runs: ids, keys, times and numbers of rows. They are compared with those of an earlier version, recorded at a9f1581d.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createKey } from '../../src/accounts/keys/key.ts';
import type { App } from '../../src/base/context.ts';
import { findMethod } from '../../src/doors/call.ts';
import { testApp } from '../support/installation/app.ts';
import { sample } from '../support/run/runs.ts';
import { familyCalls } from './family-calls.ts';
import { fillExample, makeAccount } from './fixture.ts';
import { pathsOf, replaced, wrong } from './wrong-values.ts';

/** What is answered otherwise than by the earlier version, and why that is right. */
const differences: { calls: RegExp; before: RegExp; now: RegExp; because: string }[] = [
  {
    calls: /^apikeys/,
    before: /^200 .*"networks":/,
    now: /^200 .*"calls_per_minute":.*"calls_at_once":.*"networks":/,
    because: 'API keys show their limits',
  },
  {
    calls: /^campaignCreate: content\.archive is /,
    before: /is neither a Base64 string nor base64/,
    now: /^400 .*"content\.archive is neither a string nor base64","code":311/,
    because: 'the fault says what is wrong once',
  },
  {
    calls: /^(listSubscribe|listBatchSubscribe|listUpdateMember): an unknown parameter$/,
    before: /the known ones are: /,
    now: /^400 .*, add_choices","code":-32602/,
    because: 'choices can be added to those that a contact has',
  },
  {
    calls: /^listMergeVar(Add|Update): options\.field_type is /,
    before: /must be one of .*, image"/,
    now: /^400 .*, image, yes_no, multiple_choice","code":254/,
    because: 'there are two more types of fields',
  },
  {
    calls: /^listMergeVarUpdate: (an unknown member of options|options is a struct by number)$/,
    before: /predefined_values"/,
    now: /^400 .*, predefined_values, rename_choices, drop_values","code":254/,
    because: 'choices can get another name',
  },
  {
    calls: /^listMergeVar(Add|Update): (options\.)?tag is /,
    before: /is not 1 to 20 letters/,
    now: /^400 .*is not 1 to 50 letters.*"code":254/,
    because: 'tags have up to 50 characters, as shops use them',
  },
  {
    calls: /^webhookUpdate: value is a negative number$/,
    before: /^400 .*is not a string/,
    now: /^200 "boolean"$/,
    because: 'a number is a text in every other parameter that is a text',
  },
  {
    calls: /^campaignUpdate: an unknown parameter$/,
    before: /the known ones are: cid, name, value"/,
    now: /^400 .*the known ones are: cid, name, value, base_version, editor","code":-32602/,
    because: 'campaignUpdate may give the version that the change is based on',
  },
  {
    calls: /^campaignResume: an unknown parameter$/,
    before: /the known ones are: cid"/,
    now: /^400 .*the known ones are: cid, count_refusals, watch_again","code":-32602/,
    because: 'campaignResume can count refusals as bounces, and watch again',
  },
  {
    calls: /^campaign(Create|Update): (options\.)?(analytics|value)/,
    before: /analytics\.\w+ is not a known parameter; the known ones are: google"/,
    now: /^400 .*the known ones are: google, source, medium, term, content","code":500/,
    because: 'analytics has further parameters of links',
  },
  {
    calls: /^listUpdate: name is /,
    before: /the options are .*, website, timezone"/,
    now: /^400 .*timezone, notify_to, .*, permission_reminder, public, public_title, public_description, public_group, hidden","code":211/,
    because: 'listUpdate sets the notices of a list, what readers see of it, and whether it is hidden',
  },
  {
    calls: /^listCreate: (options\.0|an unknown member of options|options is )/,
    before: /permission_reminder, public_title, notify_to, /,
    now: /^400 .*permission_reminder, public, public_title, public_description, public_group, hidden, notify_to, .*","code":211/,
    because: 'listCreate sets what readers see of a list, and whether it is hidden',
  },
  {
    calls: /^(campaigns|lists|campaignTemplates)(:|$)/,
    before: /^200 /,
    now: /^200 .*"labels":\[\],"hidden":/,
    because: 'campaigns, lists and templates have labels and can be hidden',
  },
  {
    calls:
      /^(campaigns|lists|campaignTemplates): (an unknown (parameter|member of filters)|filters is a struct by number)$/,
    before: /is not a known parameter/,
    now: /^400 .*label, hidden/,
    because: 'campaigns, lists and templates are filtered by label, and by whether they are hidden',
  },
  {
    calls: /^listCreate: options\.public_title is a control character of Windows$/,
    before: /^200 "string"$/,
    now: /^400 .*contains control characters","code":211/,
    because: 'readers see public_title',
  },
  {
    calls: /^listCreate: options\.notify_to is /,
    before: /^200 "string"$/,
    now: /^400 .*is not an email address","code":211/,
    because: 'notices are sent to notify_to',
  },
  {
    calls: /^apikeyAdd: permissions/,
    before: /must be one of campaigns:read, .*, account:read(, not .*)?"/,
    now: /must be one of campaigns:read, .*, contacts:export, contacts:erase, .*, account:admin/,
    because: 'keys may have all the permissions of people',
  },
  {
    calls: /^apikeyAdd: an unknown parameter$/,
    before: /is not a known parameter/,
    now: /^400 .*networks, lists, all_lists, calls_per_minute/,
    because: 'keys may be limited to lists and in their calls',
  },
  {
    calls: /^suppressedListMembers: an unknown parameter$/,
    before: /the known ones are: reason, contains, start, limit"/,
    now: /^400 .*reason, contains, sort, start, limit","code":-32602/,
    because: 'the suppression list can be sorted',
  },
  {
    calls: /^listSegment(Create|Update): (\w+\.)?match is /,
    before: /match must be one of all, any"/,
    now: /^400 .*match must be one of all, any, none"/,
    because: 'a group of conditions may be one of which none matches',
  },
];

/**
 * @param isQuick whether to leave out two of three methods, and the wrong values of each parameter
 * @throws AssertionError that lists the calls whose answers differ without a reason
 */
export async function compareAnswers(isQuick: boolean): Promise<void> {
  const recorded = readAnswers(readFileSync(join(import.meta.dirname, 'recorded/json-answers.txt'), 'utf8'));
  assert.equal(familyMethods.length, 68);
  const t = await testApp();
  try {
    const answers = await answersOf(t.app, await t.listen(), isQuick);
    const wrong: string[] = [];
    const used = new Set<string>();
    for (const [title, now] of answers) {
      const before = recorded.get(title);
      if (now === before) continue;
      const reason = differences.find(
        (one) => one.calls.test(title) && one.before.test(before ?? '') && one.now.test(now),
      );
      if (reason) used.add(reason.because);
      // A parameter that the earlier version did not have says nothing about what it answered.
      else if (before !== undefined) wrong.push(`${title}\n  before ${before}\n  now    ${now}`);
    }
    assert.deepEqual(wrong, [], wrong.join('\n'));
    if (!isQuick)
      assert.deepEqual(
        [...used].sort(),
        differences.map(({ because }) => because).sort(),
        'every listed difference is there',
      );
    // A method or parameter that is gone is a change.
    if (!isQuick)
      assert.deepEqual(
        [...recorded.keys()].filter((title) => !answers.has(title)),
        [],
      );
  } finally {
    await t.close();
  }
}

const familyMethods = [...new Set(familyCalls.map(({ method }) => method))].sort();

/** Some of the wrong values, and what XML-RPC and forms read although it is not the documented form. */
const values: Record<string, unknown> = {
  ...Object.fromEntries(
    ['an empty string', 'a word', 'a negative number', 'true', 'an empty array', 'an empty struct'].map((kind) => [
      kind,
      wrong[kind],
    ]),
  ),
  'a struct by number': { 0: 'x', 2: 'y' },
  'a date day first': '25/12/2015',
  'a control character of Windows': 'it\x92s',
};

const structs = (params: Record<string, unknown>) =>
  Object.entries(params).filter(([, value]) => typeof value === 'object' && value !== null && !Array.isArray(value));

/**
 * Call → status and answer, in the order of the calls.
 * @param isQuick as above
 */
async function answersOf(app: App, base: string, isQuick: boolean): Promise<Map<string, string>> {
  const answers = new Map<string, string>();
  let accountId = 0;
  let key = '';
  let calls = 0;
  const post = async (title: string, name: string, params: unknown, isRight: boolean) => {
    // A key has few calls a minute, and apikeyExpire expires its own.
    if (calls++ % 200 === 0 || name === 'apikeyExpire')
      ({ key } = await createKey(app.db, accountId, { label: 'Answers', scope: 'full' }));
    const response = await fetch(`${base}/api/${name}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(params),
    });
    const body = (await response.json()) as { error?: string; code?: number };
    const shown = response.ok ? (isRight ? body : shapeOf(body)) : { error: body.error, code: body.code };
    answers.set(title, `${response.status} ${withoutOwn(JSON.stringify(shown))}`);
    return response.ok;
  };
  for (const name of isQuick ? sample(familyMethods, 3) : familyMethods) {
    calls = 0;
    const own = await makeAccount(app, 'pro', ['inline_img']);
    accountId = own.accountId;
    const method = findMethod(name);
    const example = () => fillExample(app, own, method.example.params);
    let right = await example();
    await post(name, name, right, true);
    if (!method.reads) right = await example();
    const wrongCalls: [string, Record<string, unknown>][] = [
      ['an unknown parameter', { ...right, colour: 'red' }],
      ...structs(right).map(([member]): [string, Record<string, unknown>] => [
        `an unknown member of ${member}`,
        replaced(right, [member, 'colour'], 'red'),
      ]),
      ...Object.keys(right).map((member): [string, Record<string, unknown>] => [
        `${member} is missing`,
        Object.fromEntries(Object.entries(right).filter(([key]) => key !== member)),
      ]),
    ];
    for (const [kind, params] of wrongCalls) await post(`${name}: ${kind}`, name, params, false);
    for (const path of isQuick ? [] : pathsOf(method))
      for (const [kind, value] of Object.entries(values)) {
        const isDone = await post(`${name}: ${path.join('.')} is ${kind}`, name, replaced(right, path, value), false);
        if (isDone && !method.reads) right = await example();
      }
  }
  return answers;
}

/** The members of a result with the types of their values; of a list, the first item. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? [] : [shapeOf(value[0])];
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shapeOf(member)]));
}

const withoutOwn = (text: string) =>
  text
    .replace(/\b[0-9a-f]{32}\b/g, '{key}')
    .replace(/\b[abcdf][0-9a-f]{7}\b/g, '{id}')
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, '{time}')
    .replace(/\d{4}-\d\d( W\d\d|-\d\d)?"/g, '{day}"')
    .replace(/"(web_id|times_logged_in)":\d+/g, '"$1":{number}')
    .replace(/"hint":"[0-9a-f]{4}"/g, '"hint":"{hint}"')
    .replace(/archive\/\d+-/g, 'archive/{number}-')
    .replace(/127\.0\.0\.1:\d+/g, '{address}')
    .replace(/(person|newcomer)\d+@/g, '$1{number}@');

/** The answers by method, each with the calls that it is given to: one line an answer, and one for its calls. */
export function writeAnswers(answers: Map<string, string>): string {
  const groups = Map.groupBy(answers, ([title, answer]) => `${title.split(':')[0]}\t${answer}`);
  return [...groups].map(([answer, calls]) => `${answer}\n\t${calls.map(([title]) => title).join('\t')}\n`).join('');
}

function readAnswers(text: string): Map<string, string> {
  const lines = text.trimEnd().split('\n');
  return new Map(
    lines.flatMap((line, i) => {
      if (i % 2 === 1) return [];
      const answer = line.slice(line.indexOf('\t') + 1);
      const titles = lines[i + 1]!.slice(1).split('\t');
      return titles.map((title): [string, string] => [title, answer]);
    }),
  );
}

// Values of every wrong type and shape, at every parameter of the ten methods and every option of campaignUpdate:
// each is answered with a documented fault, which leaves nothing behind, or with a result that can be read back.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Fault } from '../../src/base/faults.ts';
import type { Outbound } from '../../src/base/outbound-client.ts';
import { sql } from '../../src/db/connect.ts';
import { findMethod } from '../../src/doors/call.ts';
import { commonFaults } from '../../src/doors/describe.ts';
import { type TestApp, testApp } from '../support/installation/app.ts';
import { countRows, draftOf, type Fixture, makeAccount, makePlaceholder, makeSegment } from './fixture.ts';
import { pathsOf, replaced, wrong } from './wrong-values.ts';

let app: TestApp;
let own: Fixture;
let segment: string;
let template: string;
before(async () => {
  app = await testApp();
  own = await makeAccount(app.app);
  segment = await makeSegment(app.app, own.accountId, own.list);
  template = (await makePlaceholder(app.app, own, 'template'))!;
  // No address of the matrix may be reached, and none shall cost time.
  const nowhere: Outbound = {
    fetch: async () => ({ ok: false, why: 'refused', code: '', detail: 'nothing is fetched here', ms: 0 }),
    judge: async () => ({ ok: false, why: 'refused', detail: 'nothing is fetched here' }),
    judgeHost: async () => ({ ok: false, why: 'refused', detail: 'nothing is reached here' }),
    close() {},
  };
  app.app.outbound = nowhere;
});
after(() => app.close());

/** Calls that work, as a function of the draft they are about; each parameter in turn is replaced by a wrong value. */
const right: Record<string, (cid: string) => Record<string, unknown>> = {
  campaigns: (cid) => ({
    filters: {
      campaign_id: cid,
      list_id: own.list,
      status: 'draft',
      type: 'HTML',
      from_name: 'The editors',
      from_email: 'editors@example.com',
      title: 'News',
      subject: 'News',
      sendtime_start: '2020-01-01',
      sendtime_end: '2019-01-01',
    },
    start: 0,
    limit: 5,
  }),
  campaignCreate: () => ({
    ...draftOf(own.list, {
      type: 'auto',
      options: {
        segment_id: segment,
        to_email: '*|FNAME|*',
        tracking: { opens: true, html_clicks: true, text_clicks: true },
        title: 'T',
        analytics: { google: 'g' },
        generate_text: true,
        auto_footer: true,
        ln: 'de',
      },
      type_opts: { 'offset-units': 'day', 'offset-time': 1, 'offset-dir': 'after', event: 'signup' },
    }),
    tracking: { opens: true },
    analytics: { google: 'g' },
  }),
  campaignUpdate: (cid) => ({ cid, name: 'subject', value: 'x' }),
  campaignSendNow: (cid) => ({ cid }),
  campaignSchedule: (cid) => ({ cid, schedule_time: '2099-01-01 00:00:00' }),
  campaignUnschedule: (cid) => ({ cid }),
  campaignSendTest: (cid) => ({ cid, test_emails: ['me@example.com'], send_type: 'html' }),
  campaignTemplates: () => ({}),
  campaignReplicate: (cid) => ({ cid }),
  campaignDelete: (cid) => ({ cid }),
  templateCreate: () => ({ name: 'L', source: '<p>x</p>', layout: 'basic' }),
  templateUpdate: () => ({ template_id: template, name: 'name', value: 'x' }),
  templateDelete: () => ({ template_id: template }),
};

/** Everything a call could have left behind: how many rows there are, and what the campaigns hold. */
async function traces(): Promise<unknown> {
  const hash = await app.app.db.row(sql`
    select md5(string_agg(c::text, ',' order by c.id)) as campaigns,
      (select md5(string_agg(t::text, ',' order by t.id)) from template t) as templates,
      (select md5(string_agg(l::text, ',')) from campaign_list l) as lists
    from campaign c`);
  return { counts: await countRows(app.app), hash };
}

/** One draft and one template, as if no call had been made. */
async function beginAnew(): Promise<string> {
  await app.app.db.run(sql`delete from campaign`);
  await app.app.db.run(sql`delete from test_mail`);
  await app.app.db.run(sql`delete from template`);
  template = (await makePlaceholder(app.app, own, 'template'))!;
  return (await makePlaceholder(app.app, own, 'campaign'))!;
}

/** Makes the calls; a fault must be one of the method's own, and leave no trace. @returns what went wrong */
async function problemsOf(
  method: string,
  calls: Iterable<[what: string, params: (cid: string) => Record<string, unknown>]>,
): Promise<string[]> {
  const { reads } = findMethod(method);
  const documented: readonly string[] = [...findMethod(method).faults, ...commonFaults];
  const problems: string[] = [];
  let cid = await beginAnew();
  let untouched = await traces();
  for (const [what, params] of calls) {
    try {
      await own.call(method, params(cid));
      if (reads) continue;
      await own.call('campaigns');
      await own.call('campaignTemplates');
      cid = await beginAnew();
      untouched = await traces();
    } catch (error) {
      const { fault, message } = error as Fault;
      if (!(error instanceof Fault) || fault === 'INTERNAL' || fault === 'UNAVAILABLE' || !documented.includes(fault))
        problems.push(`${what}: ${fault}: ${message}`);
      const now = await traces();
      try {
        assert.deepEqual(now, untouched);
      } catch {
        problems.push(`${what}: ${fault} left something behind`);
        cid = await beginAnew();
        untouched = await traces();
      }
    }
  }
  return problems;
}

/** Every second kind of wrong value, the others at the next place: each kind is tried at half of the places. */
const kindsFor = (place: number) => Object.entries(wrong).filter((_kind, n) => n % 2 === place % 2);

for (const [method, params] of Object.entries(right)) {
  test(`${method} answers wrong values at every parameter with a documented fault or a right result`, async () => {
    const calls = pathsOf(findMethod(method)).flatMap((path, place) =>
      kindsFor(place).map(([kind, value]): [string, (cid: string) => Record<string, unknown>] => [
        `${path.join('.')} = ${kind}`,
        (cid) => replaced(params(cid), path, value),
      ]),
    );
    assert.deepEqual(await problemsOf(method, calls), []);
  });
  test(`${method} refuses a parameter it does not know`, async () => {
    await assert.rejects(
      own.call(method, { ...params('b0000000'), 'no\nsuch': 1 }),
      (error: Fault) => error.fault === 'INVALID_PARAMETER' && error.message.includes('no'),
    );
  });
}

const names = [
  'list_id',
  'segment_id',
  'subject',
  'from_email',
  'from_name',
  'sender',
  'to_email',
  'tracking',
  'title',
  'analytics',
  'generate_text',
  'auto_footer',
  'authenticate',
  'inline_img',
  'time_match',
  'ln',
  'template_id',
  'type',
  'type_opts',
  'auto',
  'content',
  'html',
  'plain',
  'url',
  'archive',
  'archive_type',
];
test('campaignUpdate answers wrong values of every option with a documented fault or a right result', async () => {
  const members: Record<string, string[]> = {
    tracking: ['opens', 'html_clicks', 'text_clicks'],
    analytics: ['google'],
    content: ['html', 'plain', 'url', 'archive', 'archive_type', 'template_id'],
    type_opts: ['offset-units', 'offset-time', 'offset-dir', 'event', 'event-datemerge'],
  };
  const usual = { 'offset-units': 'day', 'offset-time': 1 };
  const calls = names.flatMap((name, place) =>
    kindsFor(place).flatMap(([kind, value]) => [
      [`${name} = ${kind}`, (cid: string) => ({ cid, name, value })] as const,
      ...(members[name] ?? []).map(
        (member) =>
          [
            `${name}.${member} = ${kind}`,
            (cid: string) => ({ cid, name, value: { ...(name === 'type_opts' ? usual : {}), [member]: value } }),
          ] as const,
      ),
    ]),
  );
  assert.deepEqual(
    await problemsOf(
      'campaignUpdate',
      calls.map((call) => [...call]),
    ),
    [],
  );
});

// The walk that every client makes through the ten methods, in its own language and with its own types, and the check
// of its results. A script prints one JSON object; its members are described at `Report`.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { TestApp } from '../support/installation/app.ts';
import type { Client } from './install.ts';

/** Subject and HTML are the scripts' own text; a byte lost on the way shows here. */
const subject = 'Grüße & <Neues> "日本" 50% €';
const templateSource = '<p>Dear *|FNAME:friend|*,\n<b>größer &amp; "better"</b></p>';

type Campaign = Record<string, unknown>;
type Seen = { type: string; code: number; message: string };
export type Report = {
  templates: Record<string, unknown>[];
  created: string;
  fromTemplate: string;
  /** Whether title, tracking and list_id were changed; the title is "007". */
  updated: boolean[];
  tested: boolean;
  scheduled: boolean;
  whenScheduled: Campaign[];
  unscheduled: boolean;
  replica: string;
  sent: boolean;
  /** campaigns, filtered by id, asked until its status is sent. */
  whenSent: Campaign[];
  /** The drafts, one a page: pages 0 and 1. */
  pages: Campaign[][];
  deleted: boolean;
  /** What campaigns gives without any filter at the end. */
  left: Campaign[];
  /** An unknown campaign deleted, a sent one sent again, a bad schedule_time, a wrong key. */
  faults: Seen[];
  /** What a client can do beside single calls. */
  multicall?: unknown[];
};

export type Stage = { account: Awaited<ReturnType<TestApp['anotherAccount']>>; environment: Record<string, string> };

/** Takes the templates away that a new account is given by a task, once they are there. */
async function clearTemplates(account: Stage['account']): Promise<void> {
  for (let tries = 0; tries < 1_200; tries++) {
    const given = await account.call<{ id: string }[]>('campaignTemplates');
    for (const { id } of given) await account.call('templateDelete', { template_id: id });
    if (given.length > 0) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('a new account was given no templates');
}

/** An account of the client's own, with two lists that share a contact, and a template. */
export async function setStage(app: TestApp): Promise<Stage> {
  const account = await app.anotherAccount();
  const lists = [];
  for (const [title, ...emails] of [
    ['One', 'ada@example.com', 'bob@example.com'],
    ['Two', 'ada@example.com', 'cy@example.com'],
  ]) {
    const list = await account.call<string>('listCreate', { title });
    lists.push(list);
    for (const email_address of emails) {
      const merge_vars = { FNAME: email_address === 'bob@example.com' ? '' : email_address.slice(0, -12) };
      await account.call('listSubscribe', { id: list, email_address, merge_vars, double_optin: false });
    }
  }
  await clearTemplates(account);
  const template = await account.call<string>('templateCreate', {
    name: 'Letter',
    layout: 'left column',
    source: templateSource,
  });
  return {
    account,
    environment: {
      BASE_URL: app.app.baseUrl,
      API_KEY: account.key,
      LIST_ONE: lists[0]!,
      LIST_TWO: lists[1]!,
      TEMPLATE_ID: template,
    },
  };
}

/** Runs the client's script without blocking: the server it talks to lives in this process. */
export async function walk(client: Client, { environment }: Stage): Promise<Report> {
  const child = spawn(client.program, [join(import.meta.dirname, client.script), ...(client.args ?? [])], {
    env: { ...process.env, ...environment, LC_ALL: 'C.UTF-8', PYTHONDONTWRITEBYTECODE: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 180_000,
  });
  const output = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output.err += text));
  const status = await new Promise((resolve, reject) => child.on('error', reject).on('close', resolve));
  assert.equal(status, 0, `${client.name} failed\n${output.out.slice(-2_000)}${output.err.slice(-4_000)}`);
  return JSON.parse(output.out) as Report;
}

/** Every result as the specification has it, with the very type: a one where true belongs is an error. */
export function checkReport(report: Report, { environment }: Stage, faultType: string): void {
  const { LIST_ONE, LIST_TWO, TEMPLATE_ID, BASE_URL } = environment;
  const [template] = report.templates;
  assert.equal(report.templates.length, 1);
  assert.match(String(template!['preview_image']), new RegExp(`^${BASE_URL}/`));
  assert.deepEqual(
    { ...template, preview_image: '' },
    {
      id: TEMPLATE_ID,
      name: 'Letter',
      layout: 'left column',
      alias: '',
      subject: '',
      preview_image: '',
      source: templateSource,
    },
  );
  const ids = [report.created, report.fromTemplate, report.replica];
  for (const id of ids) assert.match(id, /^[abcdf][0-9a-f]{7}$/);
  assert.equal(new Set(ids).size, 3);
  const { tested, scheduled, unscheduled, sent, deleted } = report;
  assert.deepEqual(report.updated, [true, true, true]);
  assert.deepEqual(
    { tested, scheduled, unscheduled, sent, deleted },
    { tested: true, scheduled: true, unscheduled: true, sent: true, deleted: true },
  );

  const common = {
    id: report.created,
    title: '007',
    type: 'HTML',
    from_name: 'Die Redaktion',
    from_email: 'editors@example.com',
    subject,
    to_email: false,
    analytics: true,
    analytcs_tag: 'spring & sale',
    track_clicks_text: true,
    track_clicks_html: true,
    track_opens: false,
    list_ids: [LIST_ONE, LIST_TWO],
    segment_ids: [],
    exclude_list_ids: [],
    exclude_segment_ids: [],
    undo_seconds_left: 0,
  };
  const [waiting] = report.whenScheduled;
  assert.equal(report.whenScheduled.length, 1);
  assert.deepEqual(unlessMade(waiting!), {
    ...common,
    status: 'sending',
    delivery_status: 'scheduled',
    schedule_time: '2099-01-31 08:00:00',
    send_time: '',
    emails_sent: 0,
  });
  const [gone] = report.whenSent;
  assert.equal(report.whenSent.length, 1);
  assert.match(String(gone!['send_time']), /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
  assert.deepEqual(unlessMade({ ...gone, send_time: '' }), {
    ...common,
    status: 'sent',
    delivery_status: 'sent',
    schedule_time: '',
    send_time: '',
    emails_sent: 3,
  });
  assert.deepEqual(idsOf(report.pages.flat()), [report.replica, report.fromTemplate]);
  assert.deepEqual(
    report.pages.map((page) => page.length),
    [1, 1],
  );
  assert.deepEqual(idsOf(report.left), [report.fromTemplate, report.created]);

  assert.deepEqual(
    report.faults.map(({ type, code }) => [type, code]),
    [300, 313, 501, 104].map((code) => [faultType, code]),
  );
  assert.match(report.faults[2]!.message, /schedule_time/);
  assert.match(report.faults[3]!.message, /apikey/);
  for (const { message } of report.faults) assert.ok(message.length > 10, message);
}

/** What the client set off: two test messages in plain text, then one to each of three people. */
export async function checkMail({ account }: Stage): Promise<void> {
  type Mail = { id: string; rcpt_to: string[]; subject: string; html: string; text: string };
  let messages: Mail[] = [];
  for (let tries = 0; messages.length < 5 && tries < 600; tries++) {
    messages = await account.call<Mail[]>('inboxMessages', {});
    if (messages.length < 5) await new Promise((resolve) => setTimeout(resolve, 100));
  }
  assert.deepEqual(messages.map((mail) => `${mail.rcpt_to} ${mail.subject}`).sort(), [
    `ada@example.com ${subject}`,
    `bob@example.com ${subject}`,
    `cy@example.com ${subject}`,
    `test1@example.com [Test] ${subject}`,
    `test2@example.com [Test] ${subject}`,
  ]);
  const names: Record<string, string> = {
    'ada@example.com': 'ada',
    'bob@example.com': 'friend',
    'cy@example.com': 'cy',
  };
  for (const { id, rcpt_to, subject: line } of messages) {
    const [whole] = await account.call<Mail[]>('inboxMessages', { id });
    const name = names[rcpt_to[0]!];
    assert.match(whole!.text, new RegExp(`Dear ${name ?? 'ada'},\\s+größer & "better"`, 'i'));
    assert.equal(whole!.html === '', line.startsWith('[Test]'), 'send_type plain is without HTML, the campaign is not');
    if (name) assert.match(whole!.html, new RegExp(`Dear ${name},\\s+<b>größer &amp; "better"</b>`));
  }
}

/** The record without what differs by run; that these are there and of their form is checked here. */
function unlessMade({ web_id, create_time, archive_url, ...rest }: Campaign): Campaign {
  assert.ok(Number.isInteger(web_id), 'web_id is a whole number');
  assert.match(String(create_time), /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
  assert.match(String(archive_url), /^http:\/\/127\.0\.0\.1:\d+\//);
  return rest;
}

const idsOf = (records: Campaign[]) => records.map(({ id }) => id);

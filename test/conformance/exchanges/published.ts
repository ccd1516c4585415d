// Requests of applications and libraries of the API family that an earlier version refused or misread, and what an account
// needs for them. Each byte of a body is a character; {key}, {list}, {draft} and {sent} stand for what each run has of its own.
import { sql } from '../../../src/db/connect.ts';
import { parseId } from '../../../src/db/ids.ts';
import type { TestApp } from '../../support/installation/app.ts';
import { draftOf } from '../fixture.ts';

export type Exchange = { title: string; path: string; type?: string; body?: string };

const form = (title: string, method: string, body: string, path = '/1.8/', output = 'json'): Exchange => ({
  title,
  path: `${path}?output=${output}&method=${method}`,
  type: 'application/x-www-form-urlencoded',
  body: `apikey={key}&${body}`,
});
const member = (name: string, value: string) => `<member><name>${name}</name><value>${value}</value></member>`;
const struct = (...members: string[]) => `<struct>${members.join('')}</struct>`;
const xml = (title: string, method: string, members: string, declaration = '<?xml version="1.0"?>'): Exchange => ({
  title,
  path: '/xmlrpc',
  type: 'text/xml',
  body: `${declaration}<methodCall><methodName>${method}</methodName><params><param><value>${struct(member('apikey', '{key}'), members)}</value></param></params></methodCall>`,
});
const latin1 = '<?xml version="1.0" encoding="iso-8859-1"?>';
const string = (text: string) => `<string>${text}</string>`;
const base64 = (text: string) => `<base64>${Buffer.from(text).toString('base64')}</base64>`;
const update = (value: string) => member('cid', '{draft}') + member('name', 'subject') + member('value', value);
const widget =
  'id={list}&email_address=w1@example.org&merge_vars[mailigen_widget_form_id]=mailigen_widget-2&merge_vars[mailigen_widget_form_number]=2&merge_vars[EMAIL]=w1@example.org&merge_vars[FNAME]=O%26%23039%3BHara&email_type=html&double_optin=&update_existing=true&send_welcome=true';

export const exchanges: Exchange[] = [
  form(
    'addresses whose keys have a gap',
    'campaignSendTest',
    'cid={draft}&test_emails[0]=g1@example.org&test_emails[2]=g2@example.org',
  ),
  form(
    'an option that is a list from 1',
    'campaignCreate',
    'type=html&options[list_id][1]={list}&options[subject]=S&options[from_email]=a@example.org&options[from_name]=A&content[html]=x&content[plain]=x',
  ),
  form('a value that is a list from 1', 'campaignUpdate', 'cid={draft}&name=list_id&value[1]={list}'),
  form(
    'a batch keyed by id',
    'listBatchSubscribe',
    'id={list}&batch[17][EMAIL]=b17@example.org&batch[42][EMAIL]=b42@example.org&double_optin=0',
  ),
  form(
    'unsubscriptions keyed by id',
    'listBatchUnsubscribe',
    'id={list}&emails[5]=g1@example.org&emails[9]=g2@example.org&send_goodbye=0',
  ),
  form(
    'a filter from 1',
    'listSegmentCreate',
    'list={list}&title=From+1&match=all&filter[1][field]=FNAME&filter[1][condition]=is&filter[1][value]=Ada',
  ),
  xml(
    'a struct of numbers as addresses',
    'campaignSendTest',
    member('cid', '{draft}') +
      member('test_emails', struct(member('0', 'g1@example.org'), member('2', 'g2@example.org'))),
  ),
  xml(
    'a struct of numbers as a batch',
    'listBatchSubscribe',
    member('id', '{list}') +
      member('batch', struct(member('17', struct(member('EMAIL', 'x17@example.org'))))) +
      member('double_optin', '<boolean>0</boolean>'),
  ),
  form('a sign-up widget that passes on its own fields', 'listSubscribe', widget, '/1.8/', 'php'),
  form(
    'the value of a field that was deleted',
    'listUpdateMember',
    'id={list}&email_address=ada@example.org&merge_vars[SHOE]=42',
  ),
  form(
    'rows with names that are no field',
    'listBatchSubscribe',
    'id={list}&batch[0][EMAIL]=m1@example.org&batch[0][GROUPINGS]=a&batch[0][INTERESTS]=b&double_optin=0',
  ),
  form(
    'a tag of 24 characters',
    'listMergeVarAdd',
    'id={list}&tag=LASTITEMINCARTADDINGDATE&name=Last+item&options[field_type]=date',
  ),
  form(
    'a date day first',
    'listBatchSubscribe',
    'id={list}&batch[0][EMAIL]=d1@example.org&batch[0][BDAY]=25/12/2015&double_optin=0',
  ),
  form(
    'a date with dots',
    'listBatchSubscribe',
    'id={list}&batch[0][EMAIL]=d2@example.org&batch[0][BDAY]=25.12.2015&double_optin=0',
  ),
  form(
    'the empty date of MySQL',
    'listBatchSubscribe',
    'id={list}&batch[0][EMAIL]=d3@example.org&batch[0][BDAY]=0000-00-00&double_optin=0',
  ),
  xml('a subject as base64', 'campaignUpdate', update('<base64>R3LDvMOfZQ==</base64>')),
  xml(
    'content as base64',
    'campaignUpdate',
    member('cid', '{draft}') + member('name', 'html') + member('value', base64('<p>Grüße</p>')),
  ),
  xml('a title as base64', 'listCreate', member('title', base64('Grüße'))),
  xml(
    'a first name as base64',
    'listUpdateMember',
    member('id', '{list}') +
      member('email_address', 'ada@example.org') +
      member('merge_vars', struct(member('FNAME', base64('Änne')))),
  ),
  xml('bytes of UTF-8 as references', 'campaignUpdate', update(string('Gr&#195;&#188;n')), latin1),
  xml(
    'bytes of UTF-8 as references, some below 160',
    'campaignUpdate',
    update(string('Gr&#195;&#188;&#195;&#159;e')),
    latin1,
  ),
  xml('Japanese bytes as references', 'campaignUpdate', update(string('&#230;&#151;&#165;&#230;&#156;&#172;')), latin1),
  xml('bytes of windows-1252 as references', 'campaignUpdate', update(string('It&#146;s a &#150; dash'))),
  xml('a byte of Latin-1 as a reference', 'campaignUpdate', update(string('Gr&#252;n')), latin1),
  form('clicks by contact', 'campaignClickStatsDetails', 'cid={sent}', '/1.8/', 'php'),
  form('clicks by link before 1.8', 'campaignClickStats', 'cid={sent}', '/1.6/'),
  form('clicks by link in 1.8', 'campaignClickStats', 'cid={sent}'),
  form('campaigns sent before a time', 'campaigns', 'filters[sendtime_start]=2020-01-01+00:00:00'),
  form(
    'an address twice in a batch',
    'listBatchSubscribe',
    'id={list}&batch[0][EMAIL]=foo@example.org&batch[1][EMAIL]=bar@example.org&batch[2][EMAIL]=foo@example.org&double_optin=0',
  ),
  form(
    'options.to_name and content.text',
    'campaignCreate',
    'type=html&options[list_id]={list}&options[subject]=S&options[from_email]=a@example.org&options[from_name]=A&options[to_name]=*|FNAME|*&content[html]=x&content[text]=x',
  ),
  form('filters.exact', 'campaigns', 'filters[exact]=1&filters[campaign_id]=00000000'),
  form('for_archive', 'campaignContent', 'cid={draft}&for_archive=1'),
  form('the status of a contact that has not confirmed', 'listMemberInfo', 'id={list}&email_address=waits@example.org'),
  form('contacts that have not confirmed', 'listMembers', 'id={list}&status=inactive'),
  form(
    'a contact that has not confirmed leaves',
    'listUnsubscribe',
    'id={list}&email_address=waits@example.org&send_goodbye=0',
  ),
  { title: 'a call by GET', path: '/1.8/?output=json&method=ping&apikey={key}' },
  {
    title: 'a form in parts',
    path: '/1.8/?output=json&method=ping',
    type: 'multipart/form-data; boundary=x',
    body: '--x\r\nContent-Disposition: form-data; name="apikey"\r\n\r\n{key}\r\n--x--\r\n',
  },
  form('a list without the option of formats', 'listCreate', 'title=Formats'),
  xml(
    'an empty struct for nil',
    'listMembers',
    `${member('id', '{list}')}${member('status', 'bounced')}${member('start', '<struct></struct>')}${member('limit', '<struct></struct>')}`,
  ),
];

export async function answersOf(t: TestApp): Promise<Map<string, string>> {
  const base = await t.listen();
  const { key, call, account } = await t.anotherAccount('pro');
  const list = await call<string>('listCreate', { title: 'Readers' });
  await call('listMergeVarAdd', { id: list, tag: 'BDAY', name: 'Birthday', options: { field_type: 'date' } });
  const join = (email_address: string, double_optin = false) =>
    call('listSubscribe', { id: list, email_address, merge_vars: { FNAME: 'Ada' }, double_optin });
  for (const name of ['ada', 'g1', 'g2']) await join(`${name}@example.org`);
  await join('waits@example.org', true);
  const draft = await call<string>('campaignCreate', draftOf(list));
  const sent = await call<string>('campaignCreate', draftOf(list));
  await t.app.db.run(sql`
    insert into link (account_id, campaign_id, no, target)
    values (${account.id}, ${parseId(sent)}, 0, 'https://example.com/a')`);
  const answers = new Map<string, string>();
  const own = { key, list, draft, sent };
  const filled = (text: string) =>
    Object.entries(own).reduce((filled, [name, value]) => filled.replaceAll(`{${name}}`, value), text);
  for (const { title, path, type, body } of exchanges) {
    const response = await fetch(base + filled(path), {
      method: body === undefined ? 'GET' : 'POST',
      ...(type && { headers: { 'content-type': type } }),
      ...(body !== undefined && { body: Buffer.from(filled(body), 'latin1') }),
    });
    answers.set(title, shown(response.status, await response.text()));
    const options = await call<{ subject: string }>('campaignGet', { cid: draft });
    const lists = await call<{ id: string; name: string }[]>('lists');
    if (body?.includes('<name>subject') || body?.includes('subject</value>'))
      answers.set(title, `${answers.get(title)} → ${options.subject}`);
    if (body?.includes('title=Formats')) {
      const { id } = lists.find(({ name }) => name === 'Formats')!;
      const { email_type_option } = await call<{ email_type_option: boolean }>('listGet', { id });
      answers.set(title, `${answers.get(title)} → ${email_type_option}`);
    }
  }
  const stored = async (name: string, tag: string) => {
    const member = { id: list, email_address: `${name}@example.org` };
    const { merges } = await call<{ merges: Record<string, string> }>('listMemberInfo', member).catch(() => ({
      merges: undefined,
    }));
    answers.set(`${tag} of ${name}, as stored`, merges ? merges[tag]! : 'not on the list');
  };
  for (const name of ['ada', 'w1']) await stored(name, 'FNAME');
  for (const name of ['d1', 'd2', 'd3']) await stored(name, 'BDAY');
  return answers;
}

/** An answer on one line, without the frame of XML, ids and times. */
const shown = (status: number, text: string) =>
  `${status === 200 ? '' : `${status} `}${text}`
    .replace(/<\?xml.*?\?>|<\/?(?:methodResponse|params|param)>/g, '')
    .replace(/\n/g, ' ')
    .replace(/\b[abcdf][0-9a-f]{7}\b/g, '{id}')
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, '{time}')
    .replace(/(web_id(?:":|<\/name><value><int>))\d+/g, '$1{number}')
    .trim();

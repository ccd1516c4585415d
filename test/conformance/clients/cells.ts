// One cell of the table of client libraries: what a request did, read back over XML-RPC, as a form, and as JSON.
import assert from 'node:assert/strict';
import { phpUnserialize } from '../../support/builders/php-unserialize.ts';
import { plainOf } from '../../support/builders/xml-call.ts';
import { decodeResponse, encodeCall } from '../../support/builders/xmlrpc-client.ts';
import type { TestApp } from '../../support/installation/app.ts';
import type { Case, Exception } from './clients.ts';

type Params = Record<string, unknown>;
export type Site = {
  key: string;
  list: string;
  /** A call over XML-RPC, and as a form that is answered as PHP. */
  read: ((method: string, params: Params) => Promise<unknown>)[];
  call: TestApp['call'];
  /** The answer to the last request. */
  answer?: Response;
};

/** A list with a date and a text, and contacts whose value is replaced. */
export async function newSite(t: TestApp, base: string): Promise<Site> {
  const { key, call } = await t.anotherAccount('pro');
  const list = await call<string>('listCreate', { title: 'Clients' });
  await call('listMergeVarAdd', { id: list, tag: 'BDAY', name: 'Birthday', options: { field_type: 'date' } });
  await call('listMergeVarAdd', { id: list, tag: 'NUMBER', name: 'Customer', options: { field_type: 'text' } });
  for (const name of ['empty', 'null'])
    await call('listSubscribe', {
      id: list,
      email_address: `${name}@client.example`,
      merge_vars: { FNAME: 'Before' },
      double_optin: false,
    });
  const xml = async (method: string, params: Params) => {
    const body = encodeCall(method, [{ apikey: key, ...params }]);
    const response = await fetch(`${base}/xmlrpc`, { method: 'POST', headers: { 'content-type': 'text/xml' }, body });
    const answer = decodeResponse(new Uint8Array(await response.arrayBuffer()));
    return 'fault' in answer ? answer.fault : plainOf(answer.value);
  };
  const form = async (method: string, params: Params) => {
    const body = new URLSearchParams({ apikey: key, ...params });
    const response = await fetch(`${base}/1.8/?output=php&method=${method}`, { method: 'POST', body });
    return structuredClone(phpUnserialize(Buffer.from(await response.arrayBuffer())));
  };
  return { key, list, call, read: [xml, form, call] };
}

/** The value that comes back: member of merge variables, and text. */
const values: Partial<Record<Case, [string, string]>> = {
  umlaut: ['FNAME', 'ä'],
  cjk: ['FNAME', '日本'],
  emoji: ['FNAME', '😀'],
  quote: ['FNAME', 'O’Hara'],
  word: ['FNAME', 'O’Hara'],
  empty: ['FNAME', ''],
  null: ['FNAME', 'Before'],
  date: ['BDAY', '2015-12-25'],
  digits: ['NUMBER', '00123'],
  int: ['NUMBER', '123'],
  double: ['NUMBER', '123'],
  bytes: ['FNAME', 'ä'],
};

/** @param reads the ways to read it back */
export async function checkCell(
  site: Site,
  name: Case,
  exception: Exception | undefined,
  isSent: boolean,
  reads = site.read,
) {
  assert.equal(isSent, !(exception && 'unsent' in exception), 'sent as the table says');
  if (!isSent) return;
  const text = Buffer.from(await site.answer!.arrayBuffer()).toString('latin1');
  const code = /faultCode<\/name><value><int>(-?\d+)|"code";i:(-?\d+)/.exec(text);
  const isRefused = exception !== undefined && 'refused' in exception;
  assert.equal(Number(code?.[1] ?? code?.[2] ?? 0), isRefused ? exception.refused : 0, text);
  if (isRefused) return;
  for (const read of reads) {
    const member = async (email_address: string) =>
      ((await read('listMemberInfo', { id: site.list, email_address })) as { merges: Record<string, string> }).merges;
    const value = values[name];
    if (value) {
      const expected: string = exception && 'value' in exception ? exception.value : value[1];
      assert.equal((await member(`${name}@client.example`))[value[0]], expected);
    } else if (name === 'boolean') {
      const lists = (await read('lists', {})) as { id: string; name: string }[];
      const id = lists.find((list) => list.name === 'Boolean')!.id;
      assert.equal((await site.call<{ email_type_option: boolean }>('listGet', { id })).email_type_option, false);
    } else {
      const rows: string[] = exception && 'rows' in exception ? exception.rows : ['ä', '日本'];
      for (const [i, row] of rows.entries()) assert.equal((await member(`row${i + 1}@client.example`)).FNAME, row);
    }
  }
  if (name === 'nested') for (const i of [1, 2]) await forget(site, `row${i}@client.example`);
}

/** So that the next batch is seen to have been read. */
const forget = ({ call, list }: Site, email_address: string) =>
  call('listUpdateMember', { id: list, email_address, merge_vars: { FNAME: 'Forgotten' } });

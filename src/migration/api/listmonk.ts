// The API of listmonk. The key is USER:TOKEN.

import { attributesOf, type Item, namesOf } from '../files/item.ts';
import { listmonkState, nameFields } from '../files/listmonk.ts';
import { type ApiAccess, ApiClient, type Connect, type Json, objectOf, objectsOf, textOf } from './client.ts';

const pageSize = 1000;

export async function* fetchListmonk({ url, key }: ApiAccess, connect: Connect): AsyncGenerator<Item> {
  if (url === '') throw new Error('Set MIGRATE_API_URL to the address of listmonk.');
  const client = new ApiClient(url.replace(/\/api\/?$/, ''), connect({ authorization: `token ${key}` }));
  const optin = new Map<string, string>();
  for await (const list of pages(client, '/api/lists', {})) {
    optin.set(textOf(list.id), textOf(list.optin));
    yield { kind: 'list', key: textOf(list.id), name: textOf(list.name), fields: nameFields };
  }
  for await (const bounce of pages(client, '/api/bounces', {}))
    if (bounce.type === 'hard' || bounce.type === 'complaint')
      yield {
        kind: 'suppression',
        value: textOf(bounce.email),
        reason: bounce.type === 'hard' ? 'bounce' : 'complaint',
      };
  for (const template of objectsOf(objectOf(await client.get('/api/templates')).data))
    if (template.type !== 'tx')
      yield {
        kind: 'template',
        key: textOf(template.id),
        name: textOf(template.name),
        html: textOf(template.body),
      };
  for await (const one of pages(client, '/api/subscribers', { order_by: 'created_at', order: 'ASC' }))
    yield* itemsOf(one, optin);
}

async function* pages(client: ApiClient, path: string, query: Record<string, string>): AsyncGenerator<Json> {
  for (let page = 1, seen = 0; ; page++) {
    const data = objectOf(objectOf(await client.get(path, { ...query, page, per_page: pageSize })).data);
    const results = objectsOf(data.results);
    yield* results;
    seen += results.length;
    // The server may allow fewer a page than were asked for.
    if (results.length === 0 || seen >= Number(data.total ?? 0)) return;
  }
}

function* itemsOf(one: Json, optin: ReadonlyMap<string, string>): Generator<Item> {
  const email = textOf(one.email);
  const status = textOf(one.status);
  if (status === 'blocklisted') yield { kind: 'suppression', value: email, reason: 'unsubscribe' };
  const lists = objectsOf(one.lists);
  if (lists.length === 0) yield { kind: 'not taken', list: '', value: email, reason: 'not_on_a_list' };
  const { values, tags } = attributesOf(one.attribs);
  for (const list of lists) {
    const id = textOf(list.id);
    const ip = objectOf(list.subscription_meta).optin_ip;
    yield {
      kind: 'contact',
      list: id,
      email,
      state: listmonkState(textOf(list.subscription_status), status, optin.get(id) ?? (textOf(list.optin) || 'double')),
      values: { ...namesOf(textOf(one.name)), ...values },
      tags,
      optinAt: textOf(list.subscription_created_at) || textOf(one.created_at),
      optinIp: textOf(ip),
    };
  }
}

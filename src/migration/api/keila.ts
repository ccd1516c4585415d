// The API of Keila, version 1. A key is of a project, whose contacts are one list.

import { attributesOf, type Item } from '../files/item.ts';
import { keilaState } from '../files/keila.ts';
import { nameFields } from '../files/listmonk.ts';
import { type ApiAccess, ApiClient, type Connect, type Json, objectOf, objectsOf, textOf } from './client.ts';

const pageSize = 100;
const list = 'Keila';

export async function* fetchKeila({ url, key }: ApiAccess, connect: Connect): AsyncGenerator<Item> {
  const base = (url || 'https://app.keila.io').replace(/\/api(\/v1)?\/?$/, '');
  const client = new ApiClient(base, connect({ authorization: `Bearer ${key}` }));
  yield { kind: 'list', key: list, name: list, fields: nameFields };
  // Older versions have no templates in their API.
  for await (const template of pages(client, '/api/v1/templates')) {
    const html = textOf(template.html_body);
    if (html !== '') yield { kind: 'template', key: textOf(template.id), name: textOf(template.name), html };
    else yield { kind: 'not taken', list: '', value: textOf(template.name), reason: 'not_a_template' };
  }
  for await (const contact of pages(client, '/api/v1/contacts')) {
    const { values, tags } = attributesOf(contact.data);
    yield {
      kind: 'contact',
      list,
      email: textOf(contact.email),
      state: keilaState(textOf(contact.status)),
      values: { ...values, FNAME: textOf(contact.first_name), LNAME: textOf(contact.last_name) },
      tags,
      optinAt: textOf(contact.double_opt_in_at) || textOf(contact.inserted_at),
    };
  }
}

async function* pages(client: ApiClient, path: string): AsyncGenerator<Json> {
  for (let page = 0; ; page++) {
    const answer = objectOf(await client.get(path, { 'paginate[page]': page, 'paginate[page_size]': pageSize }));
    yield* objectsOf(answer.data);
    if (page + 1 >= Number(objectOf(answer.meta).page_count ?? 0)) return;
  }
}

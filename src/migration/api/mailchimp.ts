// The Marketing API of Mailchimp, version 3. It has no HTML of templates; the export of the account does.
import { type ContactState, type Item, type SourceField, textOfJson } from '../files/item.ts';
import {
  type ApiAccess,
  ApiClient,
  type Connect,
  type Json,
  objectOf,
  objectsOf,
  offsetPages,
  textOf,
} from './client.ts';

const states: Record<string, ContactState> = {
  subscribed: 'subscribed',
  pending: 'pending',
  unsubscribed: 'unsubscribed',
  cleaned: 'bounced',
};
const types: Record<string, SourceField['type']> = { number: 'number', date: 'date', phone: 'phone', url: 'website' };

/** The address follows from the end of the key, such as us21. */
export function mailchimpUrl({ url, key }: ApiAccess): string {
  if (url !== '') return url;
  const center = /-([a-z]+\d+)$/.exec(key)?.[1];
  if (!center) throw new Error('The key does not end with a data center, such as -us21: set MIGRATE_API_URL.');
  return `https://${center}.api.mailchimp.com/3.0`;
}

export async function* fetchMailchimp(access: ApiAccess, connect: Connect): AsyncGenerator<Item> {
  const headers = { authorization: `Basic ${Buffer.from(`postrider:${access.key}`).toString('base64')}` };
  const client = new ApiClient(mailchimpUrl(access), connect(headers));
  const lists = offsetPages(100, async (offset, count) =>
    objectsOf(objectOf(await client.get('/lists', { offset, count })).lists),
  );
  for await (const list of lists) yield* fetchList(client, textOf(list.id), textOf(list.name));
}

async function* fetchList(client: ApiClient, id: string, name: string): AsyncGenerator<Item> {
  const path = `/lists/${encodeURIComponent(id)}`;
  const fields = objectsOf(objectOf(await client.get(`${path}/merge-fields`, { count: 1000 })).merge_fields);
  yield {
    kind: 'list',
    key: id,
    name,
    fields: fields.map((field) => ({
      key: textOf(field.tag),
      name: textOf(field.name),
      type: types[textOf(field.type)] ?? 'text',
      tag: textOf(field.tag),
    })),
  };
  const complaints = offsetPages(1000, async (offset, count) =>
    objectsOf(objectOf(await client.get(`${path}/abuse-reports`, { offset, count })).abuse_reports),
  );
  for await (const report of complaints)
    yield { kind: 'suppression', value: textOf(report.email_address), reason: 'complaint' };
  const members = offsetPages(1000, async (offset, count) =>
    objectsOf(
      objectOf(await client.get(`${path}/members`, { offset, count, sort_field: 'timestamp_opt', sort_dir: 'ASC' }))
        .members,
    ),
  );
  for await (const member of members) yield contactOf(id, member);
}

function contactOf(list: string, member: Json): Item {
  const email = textOf(member.email_address);
  const status = textOf(member.status);
  const state = states[status];
  if (state === undefined)
    return { kind: 'not taken', list, value: email, reason: status === 'archived' ? 'not_archived' : 'not_subscribed' };
  return {
    kind: 'contact',
    list,
    email,
    state: /abuse|complain/i.test(textOf(member.unsubscribe_reason)) ? 'complained' : state,
    values: Object.fromEntries(
      Object.entries(objectOf(member.merge_fields)).map(([tag, value]) => [tag, mergeText(value)]),
    ),
    tags: objectsOf(member.tags).map((tag) => textOf(tag.name)),
    optinAt: textOf(member.timestamp_opt) || textOf(member.timestamp_signup),
    optinIp: textOf(member.ip_opt) || textOf(member.ip_signup),
    language: textOf(member.language),
    format: member.email_type === 'text' ? 'text' : 'html',
  };
}

/** An address has its parts. */
const mergeText = (value: unknown) =>
  typeof value === 'object' && value !== null
    ? Object.values(objectOf(value)).map(textOf).filter(Boolean).join(', ')
    : textOfJson(value);

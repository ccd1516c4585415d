// The API of Brevo, version 3.
import { fieldOf } from '../files/brevo.ts';
import { type Item, type SourceField, type SuppressedFor, textOfJson } from '../files/item.ts';
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

const types: Record<string, SourceField['type']> = { float: 'number', date: 'date' };
/** Attributes that are no values of a person. */
const facts = new Set(['DOUBLE_OPT-IN', 'OPT_IN', 'ADDED_TIME', 'MODIFIED_TIME', 'EMAIL', 'LISTS']);

const reasons: Record<string, SuppressedFor> = {
  hardBounce: 'bounce',
  contactFlaggedAsSpam: 'complaint',
  unsubscribedViaMA: 'unsubscribe',
  unsubscribedViaEmail: 'unsubscribe',
  unsubscribedViaApi: 'unsubscribe',
  adminBlocked: 'manual',
};

export async function* fetchBrevo({ url, key }: ApiAccess, connect: Connect): AsyncGenerator<Item> {
  const client = new ApiClient(url || 'https://api.brevo.com/v3', connect({ 'api-key': key }));
  const all = (path: string, member: string, size: number, query: Record<string, string> = {}) =>
    offsetPages(size, async (offset, limit) =>
      objectsOf(objectOf(await client.get(path, { limit, offset, ...query }))[member]),
    );
  const attributes = objectsOf(objectOf(await client.get('/contacts/attributes')).attributes);
  const fields = attributes
    .filter(({ category, name }) => category === 'normal' && !facts.has(textOf(name)))
    .map(({ name, type }) => fieldOf(textOf(name), textOf(name), types[textOf(type)] ?? 'text'));
  for await (const list of all('/contacts/lists', 'lists', 50))
    yield { kind: 'list', key: textOf(list.id), name: textOf(list.name), fields };
  for await (const blocked of all('/smtp/blockedContacts', 'contacts', 100))
    yield {
      kind: 'suppression',
      value: textOf(blocked.email),
      reason: reasons[textOf(objectOf(blocked.reason).code)] ?? 'manual',
    };
  for await (const template of all('/smtp/templates', 'templates', 50))
    yield {
      kind: 'template',
      key: textOf(template.id),
      name: textOf(template.name),
      html: textOf(template.htmlContent),
    };
  for await (const contact of all('/contacts', 'contacts', 1000, { sort: 'asc' })) yield* itemsOf(contact);
}

function* itemsOf(contact: Json): Generator<Item> {
  const email = textOf(contact.email);
  // Someone with a telephone number only.
  if (email === '') return;
  const left = contact.emailBlacklisted === true;
  if (left) yield { kind: 'suppression', value: email, reason: 'unsubscribe' };
  const idsOf = (value: unknown) => (Array.isArray(value) ? value.map(textOf) : []);
  const unsubscribed = new Set(idsOf(contact.listUnsubscribed));
  const lists = new Set([...idsOf(contact.listIds), ...unsubscribed]);
  if (lists.size === 0) yield { kind: 'not taken', list: '', value: email, reason: 'not_on_a_list' };
  const values = Object.fromEntries(
    Object.entries(objectOf(contact.attributes))
      .filter(([name]) => !facts.has(name))
      .map(([name, value]) => [name, textOfJson(value)]),
  );
  for (const list of lists)
    yield {
      kind: 'contact',
      list,
      email,
      state: left || unsubscribed.has(list) ? 'unsubscribed' : 'subscribed',
      values,
      optinAt: textOf(contact.createdAt),
    };
}

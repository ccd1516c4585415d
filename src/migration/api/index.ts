// The sources whose API can be read. Mailtrain has none that returns everything; its database does.
import type { Outbound } from '../../base/outbound-client.ts';
import type { Item, Source } from '../files/item.ts';
import { fetchBrevo } from './brevo.ts';
import type { ApiAccess, Connect } from './client.ts';
import { fetchKeila } from './keila.ts';
import { fetchListmonk } from './listmonk.ts';
import { fetchMailchimp } from './mailchimp.ts';

const apis: Partial<Record<Source, (access: ApiAccess, connect: Connect) => AsyncGenerator<Item>>> = {
  mailchimp: fetchMailchimp,
  listmonk: fetchListmonk,
  keila: fetchKeila,
  brevo: fetchBrevo,
};

export const hasApi = (source: Source): boolean => apis[source] !== undefined;

/** Everything that the API returns. @throws ApiProblem */
export function fetchItems(
  source: Source,
  access: ApiAccess,
  outbound: Outbound,
  onWait?: (text: string) => void,
): AsyncGenerator<Item> {
  const read = apis[source];
  if (!read) throw new Error(`The API of ${source} cannot be read; give files instead.`);
  return read(access, (headers) => ({ outbound, headers, ...(onWait ? { onWait } : {}) }));
}

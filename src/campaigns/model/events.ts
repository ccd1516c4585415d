// The events about a campaign as a whole, in the transaction of their cause.
import type { Caller } from '../../base/context.ts';
import type { Tx } from '../../db/connect.ts';
import { formatId } from '../../db/ids.ts';
import type { CampaignKey } from '../../db/keys.ts';
import { type Event, emit } from '../../events/emit.ts';
import type { EventSource } from '../../events/types.ts';
import { formatDate } from '../../method/date.ts';

/** The event types about a campaign, with their members besides campaign, title and ts. */
type Members = {
  [E in Extract<Event, { type: `campaign.${string}` }> as E['type']]: Omit<E['data'], 'campaign' | 'title' | 'ts'>;
};

/** A program calls with a key; all else is done by a person, or by the service for one. */
export const sourceOf = (caller?: Caller): EventSource => (caller?.kind === 'key' ? 'api' : 'admin');

/** Emits an event about a campaign. @param at when it happened, by the clock of the database */
export async function emitCampaignEvent<T extends keyof Members>(
  tx: Tx,
  of: CampaignKey,
  type: T,
  { title, at, source = 'admin', ...members }: { title: string; at: Date; source?: EventSource } & Members[T],
): Promise<void> {
  const data = { campaign: formatId(of.campaign), title, ...members, ts: formatDate(at) };
  await emit(tx, of.account, [{ type, source, data } as unknown as Event]);
}

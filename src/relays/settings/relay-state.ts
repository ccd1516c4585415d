// Whether a relay can be used, from what the live workers report about it. Pure.
import type { RelayStatus } from '../smtp/line/line-status.ts';

export const relayStates = ['idle', 'working', 'ready', 'not_answering', 'failing', 'resting'] as const;
export type RelayState = (typeof relayStates)[number];

/** A relay that rests (quota used up, every session ended) or is silent sends nothing, even with open connections. */
const isUsable = ({ reason, connections, restMs, silent }: RelayStatus): boolean =>
  silent !== true && (reason === '' || (restMs === 0 && connections > 0));

/** A relay works if it works for one worker; the others find out with their next attempt. */
export function stateOfRelay(statuses: readonly RelayStatus[]): RelayState {
  if (statuses.length === 0) return 'idle';
  const usable = statuses.filter(isUsable);
  if (usable.some(({ connections }) => connections > 0)) return 'working';
  // A worker that has no connection knows nothing of the silence.
  if (statuses.some(({ silent }) => silent === true)) return 'not_answering';
  if (usable.length > 0) return 'ready';
  return statuses.some(({ failed }) => failed === true) ? 'failing' : 'resting';
}

export const canBeUsed = (state: RelayState): boolean => ['idle', 'working', 'ready'].includes(state);

/** The reason of a relay that cannot be used; it may be a packed message. */
export const problemOf = (statuses: readonly RelayStatus[]): string =>
  (statuses.find(({ silent }) => silent === true) ?? statuses.find(({ reason }) => reason !== ''))?.reason ?? '';

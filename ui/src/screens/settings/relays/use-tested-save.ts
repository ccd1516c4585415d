// Saves a relay once a test of its settings has succeeded, or as the person has chosen after it failed. A change that is not about the
// connection needs no test. One for which a person signs in at a provider is tested when the person has done so.
import { useRef, useState } from 'react';
import { call } from '../../../api/call.ts';
import type { ParamsOf, ResultOf } from '../../../api/types.ts';
import { useMutate } from '../../../api/use-method.ts';
import type { Relay } from './relay-card.tsx';

export type Options = ParamsOf<'relayCreate'>;
export type Tested = ResultOf<'relayTestSettings'>;
/** How settings are saved whose test has failed: paused, or in use. */
export type Way = 'off' | 'anyway';

const ofConnection = ['host', 'port', 'tls', 'auth', 'username', 'password', 'oauth'] as const;
/** With one of these changed, the person must sign in again. */
const ofAccess = ['provider', 'flow', 'tenant', 'client_id', 'token_url'] as const;

function needsPerson({ auth, host, port, oauth = {} }: Options, relay: Relay | undefined): boolean {
  if ((auth ?? relay?.auth) !== 'oauth' || (oauth.flow ?? relay?.oauth.flow) === 'client_credentials') return false;
  const isElsewhere = host !== undefined || port !== undefined;
  return !relay?.oauth.signed_in || isElsewhere || ofAccess.some((name) => oauth[name] !== undefined);
}

export function useTestedSave(relay: Relay | undefined) {
  const create = useMutate('relayCreate', ['home']);
  const update = useMutate('relayUpdate', ['home']);
  const pause = useMutate('relayPause', ['home']);
  const [failed, setFailed] = useState<Tested>();
  const chosen = useRef<Way>(undefined);

  const isTested = (options: Options) =>
    ofConnection.some((name) => options[name] !== undefined) && !needsPerson(options, relay);

  /** @returns the id of the relay; undefined when the test has failed, and nothing was saved */
  const save = async (options: Options): Promise<string | undefined> => {
    const way = chosen.current;
    chosen.current = undefined;
    if (way === undefined && isTested(options)) {
      setFailed(undefined);
      const outcome = await call('relayTestSettings', { ...(relay && { id: relay.id }), ...options });
      if (!outcome.ok) {
        setFailed(outcome);
        return undefined;
      }
    }
    const isOff = way === 'off';
    if (!relay) return create.mutateAsync({ ...options, ...(isOff && { paused: true }) });
    // First, so that no email takes the new settings.
    if (isOff) await pause.mutateAsync({ id: relay.id });
    await update.mutateAsync({ id: relay.id, ...options });
    return relay.id;
  };
  return {
    failed,
    save,
    /** How the next save is done. */
    choose: (way: Way) => {
      chosen.current = way;
    },
    dismiss: () => setFailed(undefined),
  };
}

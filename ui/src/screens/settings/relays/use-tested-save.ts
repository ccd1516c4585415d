// Saves a relay once a test of its settings has succeeded, or as the person has chosen after it failed. A change that is not about the
// connection needs no test. One that signs in with access tokens is tested once it is saved.
import { useRef, useState } from 'react';
import { call } from '../../../api/call.ts';
import type { ParamsOf, ResultOf } from '../../../api/types.ts';
import { useMutate } from '../../../api/use-method.ts';
import type { Relay } from './relay-card.tsx';

export type Options = ParamsOf<'relayCreate'>;
export type Tested = ResultOf<'relayTestSettings'>;
/** How settings are saved whose test has failed: paused, or in use. */
export type Way = 'off' | 'anyway';

const ofConnection = ['host', 'port', 'tls', 'auth', 'username', 'password'] as const;

export function useTestedSave(relay: Relay | undefined) {
  const create = useMutate('relayCreate', ['home']);
  const update = useMutate('relayUpdate', ['home']);
  const pause = useMutate('relayPause', ['home']);
  const [failed, setFailed] = useState<Tested>();
  const chosen = useRef<Way>(undefined);

  const isTested = (options: Options) =>
    (options.auth ?? relay?.auth) !== 'oauth' && ofConnection.some((name) => options[name] !== undefined);

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

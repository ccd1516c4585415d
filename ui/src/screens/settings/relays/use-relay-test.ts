// The connection tests of relays: starting one, and the last outcome of each.
import { useState } from 'react';
import { useMutate } from '../../../api/use-method.ts';
import { toast } from '../../../parts/toast/toast.tsx';
import type { Outcome } from './relay-card.tsx';

export function useRelayTest() {
  const [outcomes, setOutcomes] = useState<Record<string, Outcome>>({});
  const test = useMutate('relayTest');
  const run = async (id: string) => {
    try {
      const [outcome] = await test.mutateAsync({ id });
      if (outcome) setOutcomes((all) => ({ ...all, [id]: outcome }));
    } catch (error) {
      toast.failed(error);
    }
  };
  return { run, outcomes, isTesting: (id: string) => test.isPending && test.variables?.id === id };
}

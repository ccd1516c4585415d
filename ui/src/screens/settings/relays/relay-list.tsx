// The relays, a card each, with the connection test: in the settings and in the setup steps.

import { type Relay, RelayCard } from './relay-card.tsx';
import type { useRelayTest } from './use-relay-test.ts';

/** @property shown those of the list; all if not given */
type Props = {
  relays: readonly Relay[];
  shown?: readonly Relay[];
  test: ReturnType<typeof useRelayTest>;
  onEdit(relay: Relay): void;
};

export function RelayList({ relays, shown = relays, test, onEdit }: Props) {
  return shown.map((relay) => (
    <RelayCard
      key={relay.id}
      relay={relay}
      relays={relays}
      outcome={test.outcomes[relay.id]}
      testing={test.isTesting(relay.id)}
      onTest={() => test.run(relay.id)}
      onEdit={() => onEdit(relay)}
    />
  ));
}

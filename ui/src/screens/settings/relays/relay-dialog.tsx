// The dialog that sets up a relay, or changes one. Loaded when it opens.
import type { ComponentProps } from 'react';
import { Modal } from '../../../parts/modal.tsx';
import { useText } from '../../../text/use-text.tsx';
import { RelayForm } from './relay-form.tsx';

type Props = ComponentProps<typeof RelayForm> & { onClose(): void };

export default function RelayDialog({ onClose, ...props }: Props) {
  const t = useText('relays');
  return (
    <Modal opened onClose={onClose} title={t(props.relay ? 'relayEdit' : 'relayAdd')} size="lg">
      <RelayForm {...props} />
    </Modal>
  );
}

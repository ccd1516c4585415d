// Draws the toasts. Loaded with the first toast.
import '@mantine/notifications/styles.layer.css';
import { Notifications, notifications } from '@mantine/notifications';
import { useEffect, useRef } from 'react';
import { useFaultText } from '../fault.tsx';
import type { Toast } from './kinds.ts';
import { Undo } from './undo.tsx';

export default function DrawnToasts({ toasts }: { toasts: readonly Toast[] }) {
  const drawn = useRef(new Set<string>());
  useEffect(() => {
    for (const toast of toasts) {
      if (drawn.current.has(toast.id)) continue;
      drawn.current.add(toast.id);
      show(toast);
    }
  }, [toasts]);
  return <Notifications position="bottom-right" />;
}

function show(toast: Toast) {
  if (toast.kind === 'done')
    return notifications.show({ message: toast.text, withBorder: true, autoClose: 4_000, role: 'status' });
  if (toast.kind === 'failed')
    return notifications.show({
      message: <FaultWords error={toast.error} />,
      color: 'red',
      withBorder: true,
      autoClose: 8_000,
      role: 'alert',
    });
  let settled = false;
  const settle = (what?: () => void) => {
    if (settled) return;
    settled = true;
    notifications.hide(toast.id);
    what?.();
  };
  return notifications.show({
    id: toast.id,
    autoClose: false,
    withCloseButton: false,
    withBorder: true,
    message: (
      <Undo
        text={toast.text}
        seconds={toast.seconds}
        onUndo={() => settle(toast.onUndo)}
        onElapsed={() => settle(toast.onElapsed)}
      />
    ),
  });
}

function FaultWords({ error }: { error: unknown }) {
  return <>{useFaultText()(error)}</>;
}

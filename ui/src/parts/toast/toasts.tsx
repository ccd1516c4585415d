// Draws the toasts. Loaded with the first toast.
import '@mantine/notifications/styles.layer.css';
import { Button, Group, Progress, Stack, Text } from '@mantine/core';
import { Notifications, notifications } from '@mantine/notifications';
import { useEffect, useRef, useState } from 'react';
import { useText } from '../../text/use-text.tsx';
import { useFaultText } from '../fault.tsx';
import type { Toast, UndoOptions } from './kinds.ts';

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
  toast.signal?.addEventListener('abort', () => settle());
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

function Undo({ text, seconds, onUndo, onElapsed }: UndoOptions) {
  const t = useText('parts');
  const [left, setLeft] = useState(seconds);
  const button = useRef<HTMLButtonElement>(null);
  // The button that was pressed is often gone by now: for keyboard users the focus moves here rather than to the top of
  // the page. After a delay, since a closing dialog returns the focus first.
  useEffect(() => {
    const timer = setTimeout(() => document.activeElement === document.body && button.current?.focus(), 400);
    return () => clearTimeout(timer);
  }, []);
  const elapsed = useRef(onElapsed);
  elapsed.current = onElapsed;
  useEffect(() => {
    const endsAt = performance.now() + seconds * 1_000;
    const timer = setInterval(() => {
      const rest = (endsAt - performance.now()) / 1_000;
      setLeft(Math.max(0, rest));
      if (rest > 0) return;
      clearInterval(timer);
      elapsed.current?.();
    }, 200);
    return () => clearInterval(timer);
  }, [seconds]);
  return (
    <Stack gap="sm">
      <Group justify="space-between" wrap="nowrap">
        <Text>{text}</Text>
        <Button ref={button} size="xs" variant="default" onClick={onUndo}>
          {t('undo', { seconds: Math.ceil(left) })}
        </Button>
      </Group>
      <Progress value={(left / seconds) * 100} size={3} aria-hidden />
    </Stack>
  );
}

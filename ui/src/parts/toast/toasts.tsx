// Draws the toasts. Loaded with the first one.
import '@mantine/notifications/styles.css';
import { Button, Group, Progress, Stack, Text } from '@mantine/core';
import { Notifications, notifications } from '@mantine/notifications';
import { useEffect, useRef, useState } from 'react';
import { useText } from '../../text/use-text.tsx';
import { useFaultText } from '../fault.tsx';
import type { Toast, UndoOptions } from './kinds.ts';

export default function DrawnToasts({ toasts }: { toasts: readonly Toast[] }) {
  const drawn = useRef(new Set<string>());
  useEffect(() => {
    for (const one of toasts) {
      if (drawn.current.has(one.id)) continue;
      drawn.current.add(one.id);
      show(one);
    }
  }, [toasts]);
  return <Notifications position="bottom-right" />;
}

function show(one: Toast) {
  if (one.kind === 'done')
    return notifications.show({ message: one.text, withBorder: true, autoClose: 4_000, role: 'status' });
  if (one.kind === 'failed')
    return notifications.show({
      message: <FaultWords error={one.error} />,
      color: 'red',
      withBorder: true,
      autoClose: 8_000,
      role: 'alert',
    });
  let settled = false;
  const settle = (what?: () => void) => {
    if (settled) return;
    settled = true;
    notifications.hide(one.id);
    what?.();
  };
  return notifications.show({
    id: one.id,
    autoClose: false,
    withCloseButton: false,
    withBorder: true,
    message: (
      <Undo
        text={one.text}
        seconds={one.seconds ?? 10}
        onUndo={() => settle(one.onUndo)}
        onElapsed={() => settle(one.onElapsed)}
      />
    ),
  });
}

function FaultWords({ error }: { error: unknown }) {
  return <>{useFaultText()(error)}</>;
}

function Undo({ text, seconds, onUndo, onElapsed }: Required<UndoOptions>) {
  const t = useText('parts');
  const [left, setLeft] = useState(seconds);
  const button = useRef<HTMLButtonElement>(null);
  // What was pressed is often gone by now: who works by keyboard is led here rather than to the top of the page. A
  // moment later, since a question that closes gives the focus back first.
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
      elapsed.current();
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

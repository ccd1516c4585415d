// Short words in the corner: done, failed, or done with a way back that counts down.
import { Button, Group, Progress, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useEffect, useRef, useState } from 'react';
import { useText } from '../text/use-text.tsx';
import { useFaultText } from './fault.tsx';

export const toast = {
  /** Says that something is done. */
  done(text: string) {
    notifications.show({ message: text, withBorder: true, autoClose: 4_000, role: 'status' });
  },
  /** Tells a fault that belongs to no field. */
  failed(error: unknown) {
    notifications.show({ message: <FaultWords error={error} />, color: 'red', withBorder: true, autoClose: 8_000 });
  },
  /**
   * Offers to take something back. `onUndo` when that is pressed in time; `onElapsed` once when not, also when the toast
   * is closed: what must not happen before is done there (sending with a delay).
   */
  undo(options: { text: string; seconds?: number; onUndo(): void; onElapsed?(): void }) {
    const id = `undo ${++shown}`;
    let settled = false;
    const settle = (what?: () => void) => {
      if (settled) return;
      settled = true;
      notifications.hide(id);
      what?.();
    };
    notifications.show({
      id,
      autoClose: false,
      withCloseButton: false,
      withBorder: true,
      message: (
        <Undo
          text={options.text}
          seconds={options.seconds ?? 10}
          onUndo={() => settle(options.onUndo)}
          onElapsed={() => settle(options.onElapsed)}
        />
      ),
    });
  },
};

let shown = 0;

function FaultWords({ error }: { error: unknown }) {
  return <>{useFaultText()(error)}</>;
}

type UndoProps = { text: string; seconds: number; onUndo(): void; onElapsed(): void };

function Undo({ text, seconds, onUndo, onElapsed }: UndoProps) {
  const t = useText('parts');
  const [left, setLeft] = useState(seconds);
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
        <Text size="sm">{text}</Text>
        <Button size="xs" variant="default" onClick={onUndo}>
          {t('undo', { seconds: Math.ceil(left) })}
        </Button>
      </Group>
      <Progress value={(left / seconds) * 100} size={3} aria-hidden />
    </Stack>
  );
}

// A time that counts down, in which something can be undone: in a toast, or in its place on the screen.
import { Button, Group, Progress, Stack, Text } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { useText } from '../../text/use-text.tsx';
import type { UndoOptions } from './kinds.ts';

export function Undo({ text, seconds, onUndo, onElapsed }: UndoOptions) {
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

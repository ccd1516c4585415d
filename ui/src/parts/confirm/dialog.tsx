// Draws the dialog of confirm(). Loaded at its first use.
import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { useText } from '../../text/use-text.tsx';
import type { Asked } from './question.ts';

export default function DrawnQuestion({ asked }: { asked: Asked | undefined }) {
  const t = useText('parts');
  // A dialog remembers the focus when `opened` changes to true, so it must not start out opened.
  const [drawn, setDrawn] = useState(false);
  useEffect(() => setDrawn(true), []);
  // Keeps showing its question while it closes.
  const last = useRef(asked);
  if (asked) last.current = asked;
  const shown = last.current;
  if (!shown) return null;
  return (
    <Modal
      opened={drawn && asked !== undefined}
      onClose={() => shown.answer(false)}
      title={shown.title}
      withCloseButton={false}
    >
      <Stack gap="lg">
        {shown.figures && (
          <Group gap="xl" align="flex-start">
            {shown.figures.map(({ value, label }) => (
              <div key={label}>
                <Text size="xl" fw={600}>
                  {value}
                </Text>
                <Text c="dimmed">{label}</Text>
              </div>
            ))}
          </Group>
        )}
        {shown.text && <Text component="div">{shown.text}</Text>}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={() => shown.answer(false)} data-autofocus={shown.danger || undefined}>
            {t('cancel')}
          </Button>
          <Button
            color={shown.danger ? 'red.8' : undefined}
            onClick={() => shown.answer(true)}
            data-autofocus={shown.danger ? undefined : true}
          >
            {shown.action}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

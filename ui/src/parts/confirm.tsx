// Asks once before something that matters, and says in numbers what will happen:
// `if (await confirm({ title, figures: [{ value: '12,408', label: 'people get this' }], action: 'Send' })) …`
import { Button, Group, Stack, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import type { ReactNode } from 'react';
import { useText } from '../text/use-text.tsx';

type Question = {
  title: string;
  text?: ReactNode;
  /** What will happen, in numbers. */
  figures?: { value: string; label: string }[];
  /** The word on the button that does it: a verb. */
  action: string;
  /** What cannot be undone is red. */
  danger?: boolean;
};

export function confirm(question: Question): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const id = modals.open({
    title: question.title,
    onClose: () => resolve(false),
    children: (
      <Body
        question={question}
        onAnswer={(yes) => {
          resolve(yes);
          modals.close(id);
        }}
      />
    ),
  });
  return promise;
}

function Body({ question, onAnswer }: { question: Question; onAnswer(yes: boolean): void }) {
  const t = useText('parts');
  return (
    <Stack gap="lg">
      {question.figures && (
        <Group gap="xl">
          {question.figures.map(({ value, label }) => (
            <div key={label}>
              <Text size="xl" fw={600}>
                {value}
              </Text>
              <Text size="sm" c="dimmed">
                {label}
              </Text>
            </div>
          ))}
        </Group>
      )}
      {question.text && <Text component="div">{question.text}</Text>}
      <Group justify="flex-end" gap="sm">
        <Button variant="default" onClick={() => onAnswer(false)}>
          {t('cancel')}
        </Button>
        <Button {...(question.danger ? { color: 'red.8' } : {})} onClick={() => onAnswer(true)} data-autofocus>
          {question.action}
        </Button>
      </Group>
    </Stack>
  );
}

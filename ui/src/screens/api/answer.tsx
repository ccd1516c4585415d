// What a call answered: the result as JSON in colours, or the fault. It comes into view when it is there.
import { Alert, Code, Group, Stack, Text, Title } from '@mantine/core';
import { IconAlertCircle } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import { ApiFault } from '../../api/call.ts';
import { Copy } from '../../parts/copy.tsx';
import { useFaultText } from '../../parts/fault.tsx';
import { Status } from '../../parts/status/status.tsx';
import { useText } from '../../text/use-text.tsx';
import classes from './columns.module.css';
import { jsonParts } from './json-parts.ts';

export type Answer = { ms: number; value?: unknown; fault?: unknown };

export function AnswerPart({ answer }: { answer: Answer }) {
  const t = useText('api');
  const part = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each answer is shown
  useEffect(() => part.current?.scrollIntoView({ block: 'nearest' }), [answer]);
  return (
    <Stack gap="sm" ref={part} className={classes.answered ?? ''}>
      <Title order={2}>{t('answer')}</Title>
      {answer.fault === undefined ? <Value answer={answer} /> : <Fault fault={answer.fault} />}
    </Stack>
  );
}

function Fault({ fault }: { fault: unknown }) {
  const t = useText('api');
  const words = useFaultText();
  return (
    <Alert
      color="red"
      variant="outline"
      icon={<IconAlertCircle aria-hidden />}
      title={
        fault instanceof ApiFault ? t('fault', { code: String(fault.code), status: String(fault.status) }) : t('failed')
      }
      styles={{ title: { color: 'var(--mantine-color-text)' } }}
    >
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {words(fault)}
      </Text>
    </Alert>
  );
}

function Value({ answer }: { answer: Answer }) {
  const t = useText('api');
  const text = JSON.stringify(answer.value, null, 2) ?? '';
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Group gap="sm">
          <Status tone="good">HTTP 200</Status>
          <Text size="sm" c="dimmed">
            {t('answered', { ms: answer.ms })}
          </Text>
        </Group>
        <Copy value={text} label={t('answer')} />
      </Group>
      <Code block p="sm" tabIndex={0} role="region" aria-label={t('answer')} className={classes.json ?? ''}>
        {jsonParts(text).map(({ kind, words }, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the order does not change
          <span key={i} data-kind={kind}>
            {words}
          </span>
        ))}
      </Code>
    </Stack>
  );
}

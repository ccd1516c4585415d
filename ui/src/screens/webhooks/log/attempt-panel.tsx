// One request of a webhook in full, fetched when opened, since bodies may be long: request, signature, answer, and the same
// request as a command.
import { Button, Code, Group, Stack, Text } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import type { ResultOf } from '../../../api/types.ts';
import { useMethod, useMutate } from '../../../api/use-method.ts';
import { Copy } from '../../../parts/copy.tsx';
import { Facts } from '../../../parts/facts/facts.tsx';
import { FaultNote } from '../../../parts/fault.tsx';
import { useFormats } from '../../../parts/formats.ts';
import { Lines } from '../../../parts/loaded.tsx';
import { Time } from '../../../parts/time.tsx';
import { toast } from '../../../parts/toast/toast.tsx';
import { useText } from '../../../text/use-text.tsx';
import type { Webhook } from '../hook-status.tsx';
import { AttemptStatus } from './attempt-status.tsx';

type Attempt = ResultOf<'webhookAttempts'>[number];

export function AttemptPanel({ hook, id }: { hook: Webhook; id: string }) {
  const t = useText('webhooks');
  const { number } = useFormats();
  const answer = useMethod('webhookAttempts', { wid: hook.id, attempt: id });
  const resend = useMutate('webhookResend');
  const attempt = answer.data?.[0];
  const sendAgain = () =>
    resend.mutateAsync({ wid: hook.id, attempt: id }).then((count) => toast.done(t('resent', { count })), toast.failed);
  if (!attempt) return answer.error ? <FaultNote error={answer.error} /> : <Lines count={6} />;
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <Group gap="sm">
          <AttemptStatus attempt={attempt} />
          <Text size="sm">
            {attempt.status ? `HTTP ${attempt.status} · ` : ''}
            {t('ms', { ms: number(attempt.ms) })} · <Time at={attempt.at} />
          </Text>
        </Group>
        {attempt.kind !== 'test' && (
          <Button
            variant="default"
            size="xs"
            leftSection={<IconRefresh size={14} aria-hidden />}
            loading={resend.isPending}
            onClick={sendAgain}
          >
            {t('resend')}
          </Button>
        )}
      </Group>
      {attempt.reason && <Text size="sm">{attempt.reason}</Text>}
      <Facts
        label={t('request')}
        facts={[
          [t('url'), `POST ${attempt.url}`],
          [t('attempt'), number(attempt.try)],
          [t('eventIds'), attempt.events.join(', ')],
        ]}
      />
      <Block title={t('response')} text={attempt.answer || t('noResponse')} />
      <Block title={t('requestBody')} text={pretty(attempt.body)} copy={attempt.body} />
      <div>
        <Text size="xs" c="dimmed">
          {t('requestHeaders')}
        </Text>
        <Facts label={t('requestHeaders')} mono facts={Object.entries(attempt.headers)} />
      </div>
      <Block title="curl" text={curlOf(attempt)} copy={curlOf(attempt)} />
    </Stack>
  );
}

function Block({ title, text, copy }: { title: string; text: string; copy?: string }) {
  return (
    <div>
      <Group justify="space-between" mb={4} mih={28}>
        <Text size="xs" c="dimmed">
          {title}
        </Text>
        {copy && <Copy value={copy} label={title} />}
      </Group>
      <Code block tabIndex={0} aria-label={title} mah={280} style={{ overflow: 'auto' }}>
        {text}
      </Code>
    </div>
  );
}

function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

/** The same request for a shell, signature included, so that a receiver can be tried without waiting for an event. */
function curlOf({ url, headers, body }: Attempt): string {
  const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
  const lines = Object.entries(headers)
    .filter(([name]) => !/^(content-length|host|connection)$/i.test(name))
    .map(([name, value]) => `  -H ${quoted(`${name}: ${value}`)}`);
  return [`curl -X POST ${quoted(url)}`, ...lines, `  --data-binary ${quoted(body)}`].join(' \\\n');
}

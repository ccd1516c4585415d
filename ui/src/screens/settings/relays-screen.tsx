// The relays that send email: their state, and a connection test. Read-only: the operator of the installation
// configures them.
import { Alert, Button, Code, Group, Stack, Text, Title } from '@mantine/core';
import { IconInbox, IconPlugConnected } from '@tabler/icons-react';
import type { ResultOf } from '../../api/types.ts';
import { useMethod, useMutate } from '../../api/use-method.ts';
import { useFormats } from '../../parts/formats.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { Status, type Tone } from '../../parts/status/status.tsx';
import { useText } from '../../text/use-text.tsx';
import { SettingsFrame } from './frame.tsx';
import classes from './settings.module.css';

type Relay = ResultOf<'relays'>[number];
type Outcome = ResultOf<'relayTest'>[number];

const tones: Record<string, Tone> = { working: 'good', ready: 'good', resting: 'bad', idle: 'still' };

export function RelaysScreen() {
  const t = useText('settings');
  const answer = useMethod('relays', {}, { refetchInterval: 5_000 });
  return (
    <SettingsFrame section="relays" description={t('relaysAbout')}>
      <Loaded query={answer}>
        {(relays) => (
          <Stack>
            {(relays.length === 0 || relays[0]!.built_in) && (
              <Alert variant="outline" icon={<IconInbox aria-hidden />} title={t('relaysNoneTitle')}>
                <Text size="sm">{t('relaysNoneText')}</Text>
              </Alert>
            )}
            {relays.map((relay) => (
              <OneRelay key={relay.id} relay={relay} />
            ))}
            <div>
              <Text c="dimmed" mb="xs">
                {t('relaysConfigure')}
              </Text>
              <Code block tabIndex={0} aria-label="SMTP_URL">
                {"SMTP_URL='smtp://user:password@mail.example.com:587?tls=require'"}
              </Code>
            </div>
          </Stack>
        )}
      </Loaded>
    </SettingsFrame>
  );
}

function OneRelay({ relay }: { relay: Relay }) {
  const t = useText('settings');
  const { number } = useFormats();
  const test = useMutate('relayTest');
  const outcome = test.data?.[0];
  const name = relay.host === '' ? t('relayNumber', { number: relay.id }) : `${relay.host}:${relay.port}`;
  const facts = [
    t.of('tls', relay.tls),
    t(relay.signs_in ? 'authenticated' : 'unauthenticated'),
    t('connections', { count: relay.connections, most: relay.max_connections }),
    relay.rate > 0 ? t('relayRate', { rate: number(relay.rate) }) : t('relayNoRate'),
    relay.weight === 0 ? t('relayReserve') : t('relayWeight', { weight: relay.weight }),
  ];
  return (
    <Stack gap="sm" className={classes.box} component="section" aria-label={name}>
      <Group justify="space-between" align="flex-start">
        <div>
          <Group gap="sm">
            <Title order={2} size="h3" style={{ overflowWrap: 'anywhere' }}>
              {relay.built_in ? t('builtInInbox') : name}
            </Title>
            <Status tone={tones[relay.state] ?? 'still'}>{t.of('relayState', relay.state)}</Status>
          </Group>
          <Text c="dimmed" size="xs" mt={4}>
            {facts.join(' · ')}
          </Text>
        </div>
        <Button
          variant="default"
          leftSection={<IconPlugConnected size={16} aria-hidden />}
          loading={test.isPending}
          aria-label={t('relayTestOf', { name })}
          onClick={() => test.mutate({ id: relay.id })}
        >
          {t('relayTest')}
        </Button>
      </Group>
      {relay.reason !== '' && (
        <Text size="sm">
          {t('relayReason')} {relay.reason}
          {relay.rest_seconds > 0 && ` (${t('relayRests', { count: relay.rest_seconds })})`}
        </Text>
      )}
      <div role="status">
        {outcome && <TestOutcome outcome={outcome} signsIn={relay.signs_in} />}
        {test.error && <Text size="sm">{test.error.message}</Text>}
      </div>
    </Stack>
  );
}

function TestOutcome({ outcome, signsIn }: { outcome: Outcome; signsIn: boolean }) {
  const t = useText('settings');
  return (
    <Stack gap={4}>
      <Group gap="sm">
        <Status tone={outcome.ok ? 'good' : 'bad'}>
          {outcome.ok
            ? t(signsIn ? 'relayOkSignedIn' : 'relayOk', { ms: outcome.ms })
            : t('relayFailed', { stage: t.of('stage', outcome.stage) })}
        </Status>
        {outcome.tls !== '' && <Text c="dimmed">{outcome.tls}</Text>}
      </Group>
      {outcome.problem !== '' && <Text style={{ overflowWrap: 'anywhere' }}>{outcome.problem}</Text>}
      {outcome.notes.map((note) => (
        <Text key={note} style={{ overflowWrap: 'anywhere' }}>
          {note}
        </Text>
      ))}
    </Stack>
  );
}

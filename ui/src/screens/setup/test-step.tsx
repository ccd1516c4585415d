// Setup: a test email from the first sender to the signed-in person, the state of its delivery, and what is still missing.
import { Alert, Button, Group, List, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconSend } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { ResultOf } from '../../api/types.ts';
import { invalidate, queryKey, useMethod, useMutate } from '../../api/use-method.ts';
import { FaultNote } from '../../parts/fault.tsx';
import { LinkAnchor } from '../../parts/link.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Section } from '../../parts/page.tsx';
import { Status } from '../../parts/status/status.tsx';
import { useSession } from '../../session/session.ts';
import { useText } from '../../text/use-text.tsx';
import { type State, toneOf } from '../messages/states.ts';
import classes from './setup.module.css';
import { StepFoot } from './step-foot.tsx';
import { isDone, type SetupInfo, stepsFor } from './steps.ts';

/** Marks the message; the step is done when one with it is accepted. */
const tag = 'setup-test';
const readEveryMs = 1_000;
const finalStates: readonly State[] = ['accepted', 'failed', 'skipped'];

type Message = ResultOf<'messageGet'>;

export function TestStep({ info }: { info: SetupInfo }) {
  const senders = useMethod('senders');
  const earlier = useMethod('messages', { tag, limit: 1 });
  return (
    <>
      <Loaded query={senders}>
        {([sender]) => (
          <Loaded query={earlier}>
            {({ data: [last] }) => <Test info={info} sender={sender} earlier={last?.id} />}
          </Loaded>
        )}
      </Loaded>
      <Missing info={info} />
      <StepFoot step="test" info={info} />
    </>
  );
}

type Props = {
  info: SetupInfo;
  sender: ResultOf<'senders'>[number] | undefined;
  /** The newest test that was sent before. */
  earlier: string | undefined;
};

function Test({ info, sender, earlier }: Props) {
  const t = useText('setup');
  const { user, account } = useSession();
  const [sent, setSent] = useState<string>();
  const send = useMutate('messageSend');
  const from = { name: sender?.name ?? (account.company || account.name), email: sender?.email ?? account.email };
  const id = sent ?? earlier;
  const start = () =>
    send.mutate(
      {
        to: [user.email],
        from_name: from.name,
        from_email: from.email === account.email ? '' : from.email,
        subject: t('testSubject'),
        plain: t('testText', { url: info.base_url }),
        track_opens: false,
        track_clicks: false,
        tags: [tag],
      },
      { onSuccess: ({ id }) => setSent(id) },
    );
  return (
    <Stack>
      <dl className={classes.facts}>
        <Text component="dt" c="dimmed">
          {t('testTo')}
        </Text>
        <Text component="dd">{user.email}</Text>
        <Text component="dt" c="dimmed">
          {t('testFrom')}
        </Text>
        <Text component="dd">{`${from.name} <${from.email}>`}</Text>
      </dl>
      <Group>
        <Button
          variant={id === undefined ? 'filled' : 'default'}
          leftSection={<IconSend size={16} aria-hidden />}
          loading={send.isPending}
          onClick={start}
        >
          {t(id === undefined ? 'testSend' : 'testAgain')}
        </Button>
      </Group>
      {send.error && <FaultNote error={send.error} />}
      {id !== undefined && <Delivery key={id} id={id} info={info} />}
    </Stack>
  );
}

/** The state of the test, read every second until it is final. */
function Delivery({ id, info }: { id: string; info: SetupInfo }) {
  const t = useText('setup');
  const client = useQueryClient();
  const stateOf = (message: Message | undefined) => message?.recipients[0]?.state;
  const isFinal = (state: State | undefined) => state !== undefined && finalStates.includes(state);
  const known = stateOf(client.getQueryData<Message>(queryKey('messageGet', { id })));
  const answer = useMethod('messageGet', { id }, { refetchInterval: isFinal(known) ? false : readEveryMs });
  const ended = isFinal(stateOf(answer.data));
  useEffect(() => {
    if (ended) void invalidate(client, ['setup', 'home']);
  }, [ended, client]);
  return (
    <Section title={t('testState')}>
      <div role="status">
        <Loaded query={answer}>
          {({ recipients: [recipient] }) => recipient && <Outcome recipient={recipient} info={info} />}
        </Loaded>
      </div>
      {!ended && info.problem !== '' && (
        <Alert color="yellow" variant="outline" icon={<IconAlertTriangle aria-hidden />}>
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            {t('testProblem')} {info.problem}
          </Text>
        </Alert>
      )}
    </Section>
  );
}

const textOf = {
  queued: 'testWaiting',
  trying: 'testWaiting',
  later: 'testLater',
  accepted: 'testAccepted',
  failed: 'testFailed',
  skipped: 'testSkipped',
  unclear: 'testUnclear',
} as const satisfies Record<State, string>;

function Outcome({ recipient, info }: { recipient: Message['recipients'][number]; info: SetupInfo }) {
  const t = useText('setup');
  const messages = useText('messages');
  const { state, code, reply } = recipient;
  const inInbox = state === 'accepted' && !info.steps.relay;
  return (
    <Stack gap="xs">
      <Status tone={toneOf[state]}>{messages(`state.${state}`)}</Status>
      <Text>
        {t(inInbox ? 'testInbox' : textOf[state])}{' '}
        {inInbox && (
          <LinkAnchor to="/inbox" inherit>
            {t('testOpenInbox')}
          </LinkAnchor>
        )}
      </Text>
      {reply !== '' && (
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {t('testReply')}: <code>{code > 0 ? `${code} ${reply}` : reply}</code>
        </Text>
      )}
    </Stack>
  );
}

/** The steps that were skipped, and what that means. */
function Missing({ info }: { info: SetupInfo }) {
  const t = useText('setup');
  const { operator } = useSession();
  const missing = stepsFor(operator).filter((step) => step !== 'test' && !isDone(info, step));
  if (missing.length === 0) return isDone(info, 'test') ? <Text>{t('allDone')}</Text> : null;
  return (
    <Section title={t('still')}>
      <List spacing="xs" listStyleType="none" withPadding={false}>
        {missing.map((step) => (
          <List.Item key={step}>
            <LinkAnchor to="/setup/{-$step}" params={{ step }} fw={500}>
              {t(`step.${step}`)}
            </LinkAnchor>
            <Text c="dimmed">{t(`until.${step}`)}</Text>
          </List.Item>
        ))}
      </List>
    </Section>
  );
}

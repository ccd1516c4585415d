// One relay: its settings, its state, the TLS of its last connection, the result of a test, and what can be done with it.
import { Alert, Button, Group, Stack, Text, Title } from '@mantine/core';
import { IconAlertTriangle, IconArrowDown, IconArrowUp, IconPlugConnected } from '@tabler/icons-react';
import type { ResultOf } from '../../../api/types.ts';
import { useMutate } from '../../../api/use-method.ts';
import { Facts } from '../../../parts/facts/facts.tsx';
import { useFormats } from '../../../parts/formats.ts';
import { ObjectMenu } from '../../../parts/object-menu.tsx';
import { Stat, Stats } from '../../../parts/stat/stat.tsx';
import { Status } from '../../../parts/status/status.tsx';
import { Time, TimeIn } from '../../../parts/time.tsx';
import { toast } from '../../../parts/toast/toast.tsx';
import { useSession } from '../../../session/session.ts';
import { asSentence } from '../../../text/as-sentence.ts';
import { capital } from '../../../text/capital.ts';
import { useLanguage, useText } from '../../../text/use-text.tsx';
import { OauthSignIn } from '../oauth/sign-in-button.tsx';
import classes from '../settings.module.css';
import { relayTones } from './tones.ts';

export type Relay = ResultOf<'relays'>[number];
export type Outcome = ResultOf<'relayTest'>[number];

type Props = {
  relay: Relay;
  /** All relays, in their order. */
  relays: readonly Relay[];
  outcome: Outcome | undefined;
  testing: boolean;
  onTest(): void;
  onEdit(): void;
};

export function RelayCard({ relay, relays, outcome, testing, onTest, onEdit }: Props) {
  const t = useText('relays');
  const { operator } = useSession();
  const name = useName(relay);
  const limits = useLimits(relay);
  const mayChange = operator && relay.source === 'application';
  return (
    <Stack gap="sm" className={classes.box} component="section" aria-label={name}>
      <Group justify="space-between" align="flex-start">
        <Group gap="sm" mih={36}>
          <Title order={2} size="h3" style={{ overflowWrap: 'anywhere' }}>
            {name}
          </Title>
          <Status tone={relayTones[relay.state]}>{t(`relayState.${relay.state}`)}</Status>
          {relay.failing_since !== '' && (
            <Text size="xs" c="dimmed">
              <TimeIn text={t('relaySince')} at={relay.failing_since} />
            </Text>
          )}
        </Group>
        <Group gap="xs">
          <Button
            variant="default"
            leftSection={<IconPlugConnected size={16} aria-hidden />}
            loading={testing}
            aria-label={t('relayTestOf', { name })}
            onClick={onTest}
          >
            {t('relayTest')}
          </Button>
          {mayChange && relay.oauth.flow === 'authorization_code' && (
            <OauthSignIn of={{ relay: relay.id }} name={name} isAgain={relay.oauth.signed_in} />
          )}
          {mayChange && (
            <Button variant="default" aria-label={t('relayEditOf', { name })} onClick={onEdit}>
              {t('relayEditShort')}
            </Button>
          )}
          {mayChange && <More relay={relay} name={name} relays={relays} />}
        </Group>
      </Group>
      {limits !== '' && (
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {limits}
        </Text>
      )}
      {relay.tls_warning !== '' && (
        <Alert color="yellow" variant="outline" icon={<IconAlertTriangle aria-hidden />} role="alert">
          <Text size="sm">{relay.tls_warning}</Text>
        </Alert>
      )}
      <Trouble relay={relay} hasOthers={relays.some((one) => one.id !== relay.id && carries(one))} />
      <div role="status">{outcome && <TestOutcome outcome={outcome} relay={relay} />}</div>
      {operator && <LastWeek relay={relay} />}
      <RelayFacts relay={relay} />
      <LastConnection relay={relay} />
      {operator && relay.last_answers.length > 0 && <LastAnswers relay={relay} />}
    </Stack>
  );
}

const failing: readonly Relay['state'][] = ['failing', 'not_answering', 'unusable'];
const carries = ({ state }: Relay) => !failing.includes(state) && state !== 'paused' && state !== 'resting';

/** Why it sends nothing now, in words, what becomes of the emails meanwhile, and when it is tried again. */
function Trouble({ relay, hasOthers }: { relay: Relay; hasOthers: boolean }) {
  const t = useText('relays');
  const next = relay.rest_seconds > 0 ? `${capital(t('relayRests', { count: relay.rest_seconds }))}.` : '';
  if (failing.includes(relay.state))
    return (
      <Alert
        color="red"
        variant="outline"
        icon={<IconAlertTriangle aria-hidden />}
        title={t('relayFailingTitle')}
        styles={{ title: { color: 'var(--mantine-color-text)' } }}
      >
        <Stack gap={4}>
          {relay.reason !== '' && (
            <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
              {asSentence(relay.reason)}
            </Text>
          )}
          {relay.state === 'unusable' && <Text size="sm">{t('relayUnusableText')}</Text>}
          <Waiting relay={relay} />
          <Text size="sm" c="dimmed">
            {t(hasOthers ? 'relayFailingOther' : 'relayFailingText')} {next}
          </Text>
        </Stack>
      </Alert>
    );
  return (
    <>
      {relay.reason !== '' && (
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {t('relayReason')} {asSentence(relay.reason)} {next}
        </Text>
      )}
      <Waiting relay={relay} />
      {relay.paused && relay.waiting > 0 && (
        <Text size="sm" c="dimmed">
          {t('relayOffText')}
        </Text>
      )}
    </>
  );
}

/** The emails that no relay takes now. */
function Waiting({ relay: { waiting, waiting_since } }: { relay: Relay }) {
  const t = useText('relays');
  if (waiting === 0) return null;
  return (
    <Text size="sm" fw={500}>
      {t('relayWaiting', { count: waiting })} <Time at={waiting_since} />.
    </Text>
  );
}

/** What it answered in the last seven days: the accepted ones by day, and of all the shares that it deferred and refused. */
function LastWeek({ relay: { last_days: days, last_day: day } }: { relay: Relay }) {
  const t = useText('relays');
  const { number, shareOf } = useFormats();
  const sum = (kind: keyof Relay['last_day']) => days.reduce((total, counts) => total + counts[kind], 0);
  const [accepted, deferred, refused] = [sum('accepted'), sum('deferred'), sum('refused')];
  const all = accepted + deferred + refused;
  if (all === 0) return null;
  return (
    <div>
      <Text size="xs" fw={600} mb={4} aria-hidden>
        {t('relayLastWeek')}
      </Text>
      <Stats label={t('relayLastWeek')}>
        <Stat
          label={t('relayAccepted')}
          value={number(accepted)}
          course={days.map((counts) => counts.accepted)}
          note={t('relayLastDay', { number: number(day.accepted) })}
        />
        <Stat label={t('relayDeferred')} value={number(deferred)} note={shareOf(deferred, all)} />
        <Stat label={t('relayRefused')} value={number(refused)} note={shareOf(refused, all)} />
      </Stats>
    </div>
  );
}

/** The last refusals in its words. */
function LastAnswers({ relay: { last_answers: answers } }: { relay: Relay }) {
  const t = useText('relays');
  return (
    <details className={classes.answers}>
      <summary>{t('relayLastAnswers')}</summary>
      <Facts
        label={t('relayLastAnswers')}
        mono
        facts={answers.map(({ at, code, text }) => [<Time key={`${at} ${text}`} at={at} />, `${code} ${text}`])}
      />
    </details>
  );
}

/** The name; of a relay without one, where it is; for other accounts than the operator's, its number. */
function useName({ name, host, port, id, built_in }: Relay): string {
  const t = useText('relays');
  if (built_in) return t('builtInInbox');
  if (name !== '') return name;
  return host === '' ? t('relayNumber', { number: id }) : `${host}:${port}`;
}

/** Its settings by name. */
function RelayFacts({ relay }: { relay: Relay }) {
  const t = useText('relays');
  const { language } = useLanguage();
  const { number } = useFormats();
  const rates = [
    relay.rate > 0 ? t('relayRate', { rate: relay.rate.toLocaleString(language) }) : t('relayNoRate'),
    ...(relay.learned_rate > 0 ? [t('relayLearnedRate', { rate: relay.learned_rate.toLocaleString(language) })] : []),
  ];
  const facts: [string, string][] = [
    ...(relay.host === '' ? [] : [[t('relayHost'), `${relay.host}:${relay.port}`] as [string, string]]),
    [t('relayTls'), capital(t(`tls.${relay.tls}`))],
    [t('relaySignIn'), capital(t(relay.signs_in ? 'authenticated' : 'unauthenticated'))],
    [t('relayMaxRate'), capital(rates.join(' · '))],
    [
      t('relayConnections'),
      [
        t('relayOpen', { count: number(relay.connections), most: number(relay.max_connections) }),
        ...(relay.messages_per_connection > 0
          ? [t('relayMessagesPerConnection', { count: relay.messages_per_connection })]
          : []),
      ].join(' · '),
    ],
    [t('relayShare'), relay.weight === 0 ? capital(t('relayReserve')) : relay.weight.toLocaleString(language)],
    ...(relay.source === 'operator' ? [[t('relaySetIn'), 'SMTP_URL'] as [string, string]] : []),
  ];
  return (
    <dl className={classes.relayFacts}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** The TLS that the relay really had, whatever the policy. */
function LastConnection({ relay: { last_connection: last } }: { relay: Relay }) {
  const t = useText('relays');
  const tls = useTls({ ...last, tls: last.protocol });
  if (last.at === '') return null;
  return (
    <Text c="dimmed" size="xs" style={{ overflowWrap: 'anywhere' }}>
      {t('relayLastConnection')} <Time at={last.at} /> · {tls}
      {last.problem !== '' && ` (${last.problem})`}
    </Text>
  );
}

/** Protocol, cipher and certificate of a connection. */
function useTls({ tls, cipher, certificate, verified }: Pick<Outcome, 'tls' | 'cipher' | 'certificate' | 'verified'>) {
  const t = useText('relays');
  if (tls === '') return t('relayPlainText');
  const named = certificate === '' ? [] : [t('relayCertificate', { name: certificate })];
  return [tls, cipher, ...named, t(verified ? 'relayVerified' : 'relayNotVerified')].join(' · ');
}

function useLimits({ accounts, sender_domains }: Relay): string {
  const t = useText('relays');
  const session = useSession();
  if (accounts.length === 0 && sender_domains.length === 0) return '';
  const names = accounts.map((id) => session.accounts.find((account) => account.id === id)?.name ?? id);
  return t('relayLimitedTo', { what: [...names, ...sender_domains].join(', ') });
}

/** Pause, order and delete. */
function More({ relay, name, relays }: { relay: Relay; name: string; relays: readonly Relay[] }) {
  const t = useText('relays');
  const pause = useMutate('relayPause');
  const resume = useMutate('relayResume');
  const order = useMutate('relayOrderUpdate');
  const remove = useMutate('relayDelete');
  const ids = relays.filter(({ source }) => source === 'application').map(({ id }) => id);
  const place = ids.indexOf(relay.id);
  const moveTo = (to: number) => {
    const others = ids.filter((id) => id !== relay.id);
    order.mutate({ ids: others.toSpliced(to, 0, relay.id) }, { onError: toast.failed });
  };
  const togglePause = () => {
    const done = t(relay.paused ? 'relayResumed' : 'relayPaused', { name });
    (relay.paused ? resume : pause).mutate(
      { id: relay.id },
      { onSuccess: () => toast.done(done), onError: toast.failed },
    );
  };
  return (
    <ObjectMenu
      of={name}
      items={[
        { label: t(relay.paused ? 'relayResume' : 'relayPause'), act: togglePause },
        place > 0 && { label: t('relayUp'), icon: IconArrowUp, act: () => moveTo(place - 1) },
        place < ids.length - 1 && { label: t('relayDown'), icon: IconArrowDown, act: () => moveTo(place + 1) },
      ]}
      removal={{
        title: t('relayDeleteTitle', { name }),
        text: t(relays.length === 1 ? 'relayDeleteLast' : 'relayDeleteText'),
        action: t('relayDelete'),
        remove: () => remove.mutateAsync({ id: relay.id }),
        done: t('relayDeleted', { name }),
      }}
    />
  );
}

function TestOutcome({ outcome, relay }: { outcome: Outcome; relay: Relay }) {
  const t = useText('relays');
  const tls = useTls(outcome);
  return (
    <Stack gap={4}>
      <Group gap="sm">
        <Status tone={outcome.ok ? 'good' : 'bad'}>
          {outcome.ok
            ? t(relay.signs_in ? 'relayOkSignedIn' : 'relayOk', { ms: outcome.ms })
            : t.of('relayFailed', outcome.stage)}
        </Status>
        {outcome.ok && (
          <Text c="dimmed" size="sm" style={{ overflowWrap: 'anywhere' }}>
            {tls}
          </Text>
        )}
      </Group>
      {outcome.problem !== '' && outcome.problem !== relay.reason && (
        <Text style={{ overflowWrap: 'anywhere' }}>{outcome.problem}</Text>
      )}
      {outcome.notes.map((note) => (
        <Text key={note} style={{ overflowWrap: 'anywhere' }}>
          {note}
        </Text>
      ))}
    </Stack>
  );
}

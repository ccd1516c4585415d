// A sender domain: the DNS records to publish and what was found, rechecked automatically until the domain is active;
// key rotation; removal.
import { Alert, Badge, Button, Group, Menu, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconDots, IconKey, IconRefresh, IconTrash } from '@tabler/icons-react';
import { useParams } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useMethod, useMutate } from '../../api/use-method.ts';
import { confirm } from '../../parts/confirm/confirm.tsx';
import { Copy } from '../../parts/copy.tsx';
import { FaultNote } from '../../parts/fault.tsx';
import { Lines } from '../../parts/loaded.tsx';
import { Section } from '../../parts/page.tsx';
import { Status, type Tone } from '../../parts/status/status.tsx';
import { Time } from '../../parts/time.tsx';
import { toast } from '../../parts/toast/toast.tsx';
import { useRemoval } from '../../parts/use-removal.ts';
import { useSession } from '../../session/session.ts';
import { NotFound } from '../../shell/not-found.tsx';
import { useText } from '../../text/use-text.tsx';
import { DomainStatus, type SenderDomain } from './domains-screen.tsx';
import { SettingsFrame } from './frame.tsx';
import classes from './settings.module.css';

/** How often a domain that is not active is rechecked while its screen is shown, milliseconds. */
const lookEveryMs = 20_000;

type DnsRecord = SenderDomain['records'][number];
type Check = SenderDomain['checks'][number];

const tones: Record<string, Tone> = { ok: 'good', missing: 'bad', wrong: 'bad', unknown: 'waiting' };

export function DomainScreen() {
  const t = useText('settings');
  const { domain: name } = useParams({ strict: false }) as { domain: string };
  const answer = useMethod('senderDomains');
  const back = { to: '/settings/domains', label: t('section.domains') };
  if (answer.data === undefined)
    return (
      <SettingsFrame section="domains" title={name} back={back}>
        {answer.error ? <FaultNote error={answer.error} onRetry={() => answer.refetch()} /> : <Lines />}
      </SettingsFrame>
    );
  const found = answer.data.find((candidate) => candidate.domain === name);
  return found ? <Shown domain={found} back={back} /> : <NotFound />;
}

function Shown({ domain, back }: { domain: SenderDomain; back: { to: string; label: string } }) {
  const t = useText('settings');
  const { may } = useSession();
  const check = useMutate('senderDomainCheck');
  const { mutate, isPending } = check;
  const looks = domain.status !== 'active' && may('write');
  useRechecks(looks, domain.domain, mutate);
  const required = domain.records.filter((record) => record.required);
  const advised = domain.records.filter((record) => !record.required);
  const shown = new Set(domain.records.map((record) => checkOf(record, domain.checks)));
  const further = domain.checks.filter((check) => !shown.has(check));
  return (
    <SettingsFrame
      section="domains"
      title={domain.domain}
      back={back}
      status={<DomainStatus domain={domain} />}
      description={
        <>
          {t.of('domainStateAbout', domain.status)} {domain.checked_at && `${t('checked')}: `}
          <Time at={domain.checked_at} never={t('notChecked')} />
          {looks && `. ${t('rechecks')}`}
        </>
      }
      actions={
        <>
          {may('write') && (
            <Button
              leftSection={<IconRefresh size={16} aria-hidden />}
              loading={isPending}
              onClick={() => mutate({ domain: domain.domain }, { onError: toast.failed })}
            >
              {t('checkNow')}
            </Button>
          )}
          {may('admin') && <More domain={domain} />}
        </>
      }
    >
      {domain.status === 'broken' && (
        <Alert color="red" variant="outline" icon={<IconAlertTriangle aria-hidden />} role="alert">
          <Text size="sm">{t('brokenText')}</Text>
        </Alert>
      )}
      <Section title={t('recordsRequired')} description={t('recordsAbout')}>
        <div>
          {required.map((record) => (
            <OneRecord key={`${record.name} ${record.value}`} record={record} check={checkOf(record, domain.checks)} />
          ))}
        </div>
      </Section>
      {advised.length > 0 && (
        <Section title={t('recordsRecommended')} description={t('recordsRecommendedAbout')}>
          <div>
            {advised.map((record) => (
              <OneRecord
                key={`${record.name} ${record.value}`}
                record={record}
                check={checkOf(record, domain.checks)}
              />
            ))}
          </div>
        </Section>
      )}
      {further.length > 0 && <FurtherChecks checks={further} />}
      {domain.retired.length > 0 && (
        <Section title={t('retired')} description={t('retiredAbout')}>
          <Stack gap="xs">
            {domain.retired.map(({ name, retired_at }) => (
              <Text key={name} style={{ overflowWrap: 'anywhere' }}>
                {name} · <Time at={retired_at} />
              </Text>
            ))}
          </Stack>
        </Section>
      )}
    </SettingsFrame>
  );
}

/** Checks again at intervals while someone looks at the page. */
function useRechecks(active: boolean, domain: string, check: (params: { domain: string }) => void) {
  useEffect(() => {
    if (!active) return;
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') check({ domain });
    }, lookEveryMs);
    return () => clearInterval(timer);
  }, [active, domain, check]);
}

/** The checks that belong to none of the records. */
function FurtherChecks({ checks }: { checks: Check[] }) {
  const t = useText('settings');
  return (
    <Section title={t('serverChecks')} description={t('serverChecksAbout')}>
      <div>
        {checks.map((check) => (
          <div key={`${check.record} ${check.name}`} className={classes.record}>
            <Group gap="sm" mb={4}>
              <Text fw={500}>{check.record.toUpperCase()}</Text>
              <Text c="dimmed">{check.name}</Text>
              <Found check={check} />
            </Group>
            <Advice check={check} />
          </div>
        ))}
      </div>
    </Section>
  );
}

function OneRecord({ record, check }: { record: DnsRecord; check: Check | undefined }) {
  const t = useText('settings');
  const purpose = t.of('purpose', record.purpose);
  return (
    <div className={classes.record}>
      <Group gap="sm" mb="sm">
        <Badge variant="default" radius="sm" tt="none">
          {record.type}
        </Badge>
        <Text fw={500}>{purpose}</Text>
        <Found check={check} />
      </Group>
      <Stack gap="xs">
        <Value label={t('recordName')} value={record.name} />
        <Value label={t('recordValue')} value={record.value} />
        {record.note !== '' && (
          <Text size="xs" c="dimmed">
            {record.note}
          </Text>
        )}
        <Advice check={check} />
      </Stack>
    </div>
  );
}

function Value({ label, value }: { label: string; value: string }) {
  return (
    <div>
      <Text size="xs" c="dimmed" mb={2}>
        {label}
      </Text>
      <div className={classes.value}>
        <span>{value}</span>
        <Copy value={value} label={label} />
      </div>
    </div>
  );
}

function Found({ check }: { check: Check | undefined }) {
  const t = useText('settings');
  if (!check) return <Status tone="still">{t('notChecked')}</Status>;
  return <Status tone={tones[check.state] ?? 'still'}>{t.of('found', check.state)}</Status>;
}

/** What was found instead, and how to fix it. */
function Advice({ check }: { check: Check | undefined }) {
  const t = useText('settings');
  if (!check || (check.ok && check.advice === '')) return null;
  return (
    <Stack gap={4}>
      {!check.ok && check.found !== '' && (
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {t('foundInstead')} <code>{check.found}</code>
        </Text>
      )}
      {check.advice !== '' && <Text size="sm">{check.advice}</Text>}
    </Stack>
  );
}

function More({ domain }: { domain: SenderDomain }) {
  const t = useText('settings');
  const removal = useRemoval();
  const rotate = useMutate('senderDomainRotate');
  const remove = useMutate('senderDomainRemove');
  const askRotate = async () => {
    if (!(await confirm({ title: t('rotateTitle'), text: t('rotateText'), action: t('rotate') }))) return;
    rotate.mutate({ domain: domain.domain }, { onSuccess: () => toast.done(t('rotated')), onError: toast.failed });
  };
  const askRemove = () =>
    removal({
      question: {
        title: t('domainRemoveTitle', { domain: domain.domain }),
        text: t('domainRemoveText'),
        action: t('remove'),
      },
      backTo: '/settings/domains',
      remove: () => remove.mutateAsync({ domain: domain.domain }),
      done: t('domainRemoved', { domain: domain.domain }),
    });
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" px="sm" aria-label={t('more')}>
          <IconDots size={16} aria-hidden />
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconKey size={16} aria-hidden />} onClick={askRotate}>
          {t('rotate')}
        </Menu.Item>
        <Menu.Item leftSection={<IconTrash size={16} aria-hidden />} onClick={askRemove}>
          {t('remove')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** The check of a record: by its name; by its purpose where several records share a name. */
function checkOf(record: DnsRecord, checks: readonly Check[]): Check | undefined {
  const wanted = record.purpose === 'return_path' ? ['mx', 'return_path'] : [record.purpose];
  const alike = checks.filter((check) => wanted.includes(check.record));
  return alike.find((check) => check.name === record.name) ?? (alike.length === 1 ? alike[0] : undefined);
}

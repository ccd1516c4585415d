// A sender domain: the DNS records to publish and what was found, its tracking host and reports; key rotation; removal.

import { Alert, Button, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconKey, IconRefresh } from '@tabler/icons-react';
import { useParams } from '@tanstack/react-router';
import { useMethod, useMutate } from '../../../api/use-method.ts';
import { confirm } from '../../../parts/confirm/confirm.tsx';
import { shownDomains } from '../../../parts/domain-name.ts';
import { FaultNote } from '../../../parts/fault.tsx';
import type { Target } from '../../../parts/link.tsx';
import { Lines } from '../../../parts/loaded.tsx';
import { ObjectMenu } from '../../../parts/object-menu.tsx';
import { Section } from '../../../parts/page.tsx';
import { Time } from '../../../parts/time.tsx';
import { toast } from '../../../parts/toast/toast.tsx';
import { useSession } from '../../../session/session.ts';
import { NotFound } from '../../../shell/not-found.tsx';
import { useText } from '../../../text/use-text.tsx';
import { SettingsFrame } from '../frame.tsx';
import { logoChecks, OptionalChecks, returnChecks } from './domain-optional.tsx';
import { DomainRecords, useDomainCheck } from './domain-records.tsx';
import { DomainReports } from './domain-reports.tsx';
import { TrackingHost } from './domain-tracking.tsx';
import { DomainStatus, type SenderDomain } from './domains-screen.tsx';
import { type Check, checkOf, RecordTable } from './record-table.tsx';

export function DomainScreen() {
  const t = useText('settings');
  const { domain: name } = useParams({ strict: false }) as { domain: string };
  const answer = useMethod('senderDomains');
  const back = { to: '/settings/domains', label: t('section.domains') } as const;
  if (answer.data === undefined)
    return (
      <SettingsFrame section="domains" title={name} back={back}>
        {answer.error ? <FaultNote error={answer.error} onRetry={() => answer.refetch()} /> : <Lines />}
      </SettingsFrame>
    );
  const found = answer.data.find((candidate) => candidate.domain === name);
  return found ? <Shown domain={found} back={back} /> : <NotFound />;
}

function Shown({ domain, back }: { domain: SenderDomain; back: Target & { label: string } }) {
  const t = useText('settings');
  const { may } = useSession();
  const check = useDomainCheck(domain);
  const shown = new Set(domain.records.map((record) => checkOf(record, domain.checks)));
  const further = domain.checks.filter(
    (check) => !shown.has(check) && !logoChecks.includes(check.record) && !returnChecks.includes(check.record),
  );
  return (
    <SettingsFrame
      section="domains"
      title={shownDomains(domain.domain)}
      back={back}
      status={<DomainStatus domain={domain} />}
      description={
        <>
          {t(`domainStateAbout.${domain.status}`)} {domain.checked_at && `${t('checked')}: `}
          <Time at={domain.checked_at} never={t('notChecked')} />
          {check.repeats && `. ${t('rechecks')}.`}
        </>
      }
      actions={
        <>
          {may('campaigns:write') && (
            <Button leftSection={<IconRefresh size={16} aria-hidden />} loading={check.checking} onClick={check.now}>
              {t('checkNow')}
            </Button>
          )}
          {may('sending:write') && <More domain={domain} />}
        </>
      }
    >
      {domain.status === 'broken' && (
        <Alert color="red" variant="outline" icon={<IconAlertTriangle aria-hidden />} role="alert">
          <Text size="sm">{t('brokenText')}</Text>
        </Alert>
      )}
      <DomainRecords domain={domain} />
      <TrackingHost domain={domain} />
      {domain.status !== 'pending' && <DomainReports domain={domain.domain} />}
      <OptionalChecks title={t('logo')} about={t('logoAbout')} domain={domain} records={logoChecks} />
      <OptionalChecks
        title={t('returnSecurity')}
        about={t('returnSecurityAbout')}
        domain={domain}
        records={returnChecks}
      />
      {further.length > 0 && <FurtherChecks domain={domain.domain} checks={further} />}
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

/** The checks that belong to none of the records. */
function FurtherChecks({ domain, checks }: { domain: string; checks: Check[] }) {
  const t = useText('settings');
  return (
    <Section title={t('serverChecks')} description={t('serverChecksAbout')}>
      <RecordTable
        label={t('serverChecks')}
        domain={domain}
        rows={checks.map((check) => ({
          type: '',
          purpose: check.record.toUpperCase(),
          name: check.name,
          value: '',
          note: '',
          check,
        }))}
      />
    </Section>
  );
}

function More({ domain }: { domain: SenderDomain }) {
  const t = useText('settings');
  const rotate = useMutate('senderDomainRotate');
  const remove = useMutate('senderDomainDelete');
  const askRotate = async () => {
    if (!(await confirm({ title: t('rotateTitle'), text: t('rotateText'), action: t('rotate') }))) return;
    rotate.mutate({ domain: domain.domain }, { onSuccess: () => toast.done(t('rotated')), onError: toast.failed });
  };
  return (
    <ObjectMenu
      items={[{ label: t('rotate'), icon: IconKey, act: askRotate }]}
      removal={{
        title: t('domainRemoveTitle', { domain: domain.domain }),
        text: t('domainRemoveText'),
        action: t('remove'),
        remove: () => remove.mutateAsync({ domain: domain.domain }),
        done: t('domainRemoved', { domain: domain.domain }),
        backTo: '/settings/domains',
      }}
    />
  );
}

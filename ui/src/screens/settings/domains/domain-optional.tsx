// Checks of records that a domain may do without: its logo (BIMI), and the encryption of returned mail (MTA-STS, TLS-RPT).
// A record that is not there is no fault.
import { Badge, Group, Stack, Text } from '@mantine/core';
import { Section } from '../../../parts/page.tsx';
import { Status } from '../../../parts/status/status.tsx';
import { useText } from '../../../text/use-text.tsx';
import classes from '../settings.module.css';
import { Advice, type Check, Found, Value } from './domain-record.tsx';
import type { SenderDomain } from './domains-screen.tsx';

/** The records of `checks` that belong to each section. */
export const logoChecks = ['bimi'];
export const returnChecks = ['mta_sts', 'mta_sts_policy', 'tls_rpt'];

type Props = { title: string; about: string; domain: SenderDomain; records: readonly string[] };

export function OptionalChecks({ title, about, domain, records }: Props) {
  const checks = domain.checks.filter(({ record }) => records.includes(record));
  if (checks.length === 0) return null;
  return (
    <Section title={title} description={about}>
      <div>
        {checks.map((check) => (
          <OptionalCheck key={check.record} check={check} />
        ))}
      </div>
    </Section>
  );
}

function OptionalCheck({ check }: { check: Check }) {
  const t = useText('settings');
  const isFile = check.record === 'mta_sts_policy';
  return (
    <div className={classes.record}>
      <Group gap="sm" mb="sm">
        {!isFile && (
          <Badge variant="default" radius="sm" tt="none">
            TXT
          </Badge>
        )}
        <Text fw={500}>{t.of('optional', check.record)}</Text>
        {check.state === 'missing' ? <Status tone="still">{t('notSetUp')}</Status> : <Found check={check} />}
      </Group>
      <Stack gap="xs">
        <Value label={t(isFile ? 'recordUrl' : 'recordName')} value={check.name} />
        <Value label={t(isFile ? 'recordFile' : 'recordValue')} value={check.expected} />
        <Advice check={check} />
      </Stack>
    </div>
  );
}

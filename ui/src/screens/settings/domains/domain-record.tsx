// A DNS record to publish, with what the last check found and how to fix it.
import { Badge, Group, Stack, Text } from '@mantine/core';
import { Copy } from '../../../parts/copy.tsx';
import { Status, type Tone } from '../../../parts/status/status.tsx';
import { useText } from '../../../text/use-text.tsx';
import classes from '../settings.module.css';
import type { SenderDomain } from './domains-screen.tsx';

type DnsRecord = SenderDomain['records'][number];
export type Check = SenderDomain['checks'][number];

const tones: Record<string, Tone> = { ok: 'good', missing: 'bad', wrong: 'bad', unknown: 'waiting' };

export function OneRecord({ record, check }: { record: DnsRecord; check: Check | undefined }) {
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

export function Value({ label, value }: { label: string; value: string }) {
  return (
    <div>
      <Text size="xs" c="dimmed" mb={2}>
        {label}
      </Text>
      <div className={classes.value}>
        <span style={{ whiteSpace: 'pre-line' }}>{value.trim()}</span>
        <Copy value={value} label={label} />
      </div>
    </div>
  );
}

export function Found({ check }: { check: Check | undefined }) {
  const t = useText('settings');
  if (!check) return <Status tone="still">{t('notChecked')}</Status>;
  return <Status tone={tones[check.state] ?? 'still'}>{t.of('found', check.state)}</Status>;
}

/** What was found instead, and how to fix it. */
export function Advice({ check }: { check: Check | undefined }) {
  const t = useText('settings');
  if (!check || (check.ok && check.advice === '')) return null;
  return (
    <Stack gap={4}>
      {!check.ok && check.found !== '' && (
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {t('foundInstead')} <code style={{ whiteSpace: 'pre-line' }}>{check.found}</code>
        </Text>
      )}
      {check.advice !== '' && <Text size="sm">{check.advice}</Text>}
    </Stack>
  );
}

/** The check of a record: by its name; by its purpose where several records share a name. */
export function checkOf(record: DnsRecord, checks: readonly Check[]): Check | undefined {
  const wanted = record.purpose === 'return_path' ? ['mx', 'return_path'] : [record.purpose];
  const alike = checks.filter((check) => wanted.includes(check.record));
  return alike.find((check) => check.name === record.name) ?? (alike.length === 1 ? alike[0] : undefined);
}

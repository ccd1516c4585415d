// A closer look at a row of the audit log: each of its entries, with its time and what was given.
import { Stack, Text } from '@mantine/core';
import { Facts } from '../../parts/facts/facts.tsx';
import { parseTime, useFormats } from '../../parts/formats.ts';
import { LinkButton, type Target } from '../../parts/link.tsx';
import { Tagged } from '../../parts/tagged/tagged.tsx';
import { useText } from '../../text/use-text.tsx';
import type { AuditRow } from './audit-rows.ts';

type Props = { row: AuditRow; place: Target | undefined; name: string };

export default function AuditPeek({ row, place, name }: Props) {
  const t = useText('settings');
  const { exact } = useFormats();
  const who = row.user || (row.key && t('auditKey', { key: row.key })) || t('auditOperator');
  return (
    <Stack gap="md">
      <div>
        {name !== '' && (
          <Text fw={500}>
            <Tagged>{name}</Tagged>
          </Text>
        )}
        <Text size="sm" c="dimmed">
          {[who, t.of('door', row.door), row.ip].filter(Boolean).join(' · ')}
        </Text>
      </div>
      {place && (
        <div>
          <LinkButton {...place} size="xs" variant="default">
            {t('auditOpen')}
          </LinkButton>
        </div>
      )}
      <Facts
        label={t('auditEntries')}
        facts={row.entries.map(({ at, detail }) => [
          exact(parseTime(at)!),
          Object.entries(detail)
            .filter(([, value]) => value !== row.subject)
            .map(([member, value]) => `${member}: ${value}`)
            .join('\n') || row.method,
        ])}
      />
    </Stack>
  );
}

// DNS records in one table: type, name, value with copy, and what the last check found, with how to fix it.
import { Group, Stack, Text } from '@mantine/core';
import { Copy } from '../../../parts/copy.tsx';
import { Status, type Tone } from '../../../parts/status/status.tsx';
import { Tag } from '../../../parts/status/tag.tsx';
import { type Column, Rows } from '../../../parts/table/rows.tsx';
import { useText } from '../../../text/use-text.tsx';
import classes from '../settings.module.css';
import type { SenderDomain } from './domains-screen.tsx';

export type DnsRecord = SenderDomain['records'][number];
export type Check = SenderDomain['checks'][number];

export type RecordRow = {
  /** Empty for what is no DNS record, such as a file. */
  type: string;
  purpose: string;
  /** Shown beside the purpose: "required". */
  tag?: string;
  name: string;
  value: string;
  note: string;
  check: Check | undefined;
  /** May be missing without a fault. */
  optional?: boolean;
};

type Props = { label: string; domain: string; rows: readonly RecordRow[] };

export function RecordTable({ label, domain, rows }: Props) {
  const t = useText('settings');
  const columns: Column<RecordRow>[] = [
    {
      name: 'purpose',
      title: t('record'),
      width: '22%',
      cell: ({ type, purpose, tag }) => (
        <>
          <Text size="sm" fw={500}>
            {purpose}
          </Text>
          <Group gap={4}>
            {type !== '' && <Tag>{type}</Tag>}
            {tag !== undefined && <Tag>{tag}</Tag>}
          </Group>
        </>
      ),
    },
    {
      name: 'name',
      title: t('recordName'),
      width: '26%',
      cell: ({ name }) => <Copied label={t('recordName')} value={name} within={domain} />,
    },
    {
      name: 'value',
      title: t('recordValue'),
      cell: ({ value, note, check }) => (
        <Stack gap={4}>
          {value !== '' && <Copied label={t('recordValue')} value={value} />}
          {note !== '' && (
            <Text size="xs" c="dimmed">
              {note}
            </Text>
          )}
          <Advice check={check} />
        </Stack>
      ),
    },
    {
      name: 'state',
      title: t('state'),
      width: '152px',
      cell: ({ check, optional }) =>
        optional && check?.state === 'missing' ? (
          <Status tone="still">{t('notSetUp')}</Status>
        ) : (
          <Found check={check} />
        ),
    },
  ];
  return (
    <div className={classes.records}>
      <Rows
        label={label}
        columns={columns}
        rows={rows}
        keyOf={({ name, value, purpose }) => `${purpose} ${name} ${value}`}
        nameOf={({ name }) => name}
        empty={null}
      />
    </div>
  );
}

/** A value on one line, complete as a tooltip and when copied. A name wraps, and the part that repeats the domain is softer. */
function Copied({ label, value, within }: { label: string; value: string; within?: string }) {
  const suffix = within !== undefined && value.endsWith(`.${within}`) ? `.${within}` : '';
  return (
    <span className={classes.copied} data-wrapped={within !== undefined || undefined}>
      <code title={value}>
        {value.slice(0, value.length - suffix.length).trim()}
        {suffix !== '' && <span className={classes.softer}>{suffix}</span>}
      </code>
      <Copy value={value} label={label} />
    </span>
  );
}

const tones: Record<Check['state'], Tone> = { ok: 'good', missing: 'bad', wrong: 'bad', unknown: 'waiting' };

function Found({ check }: { check: Check | undefined }) {
  const t = useText('settings');
  if (!check) return <Status tone="still">{t('notChecked')}</Status>;
  return <Status tone={tones[check.state]}>{t(`found.${check.state}`)}</Status>;
}

/** What was found instead, and how to fix it. */
function Advice({ check }: { check: Check | undefined }) {
  const t = useText('settings');
  if (!check || (check.ok && check.advice === '')) return null;
  return (
    <>
      {!check.ok && check.found !== '' && (
        <Text size="xs" style={{ overflowWrap: 'anywhere' }}>
          {t('foundInstead')} <code style={{ whiteSpace: 'pre-line' }}>{check.found}</code>
        </Text>
      )}
      {check.advice !== '' && <Text size="xs">{check.advice}</Text>}
    </>
  );
}

/** The check of a record: by its name; by its purpose where several records share a name. */
export function checkOf(record: DnsRecord, checks: readonly Check[]): Check | undefined {
  const wanted = record.purpose === 'return_path' ? ['mx', 'return_path'] : [record.purpose];
  const alike = checks.filter((check) => wanted.includes(check.record));
  return alike.find((check) => check.name === record.name) ?? (alike.length === 1 ? alike[0] : undefined);
}

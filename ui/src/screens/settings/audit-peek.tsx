// A closer look at a row of the audit log: what changed, before and after, and each of its entries with its time and what was given.
import { Stack, Text, Title } from '@mantine/core';
import { Facts } from '../../parts/facts/facts.tsx';
import { parseTime, useFormats } from '../../parts/formats.ts';
import { LinkButton, type Target } from '../../parts/link.tsx';
import { Tagged } from '../../parts/tagged/tagged.tsx';
import { useText } from '../../text/use-text.tsx';
import { type AuditRow, type Change, type Entry, netChanges } from './audit-rows.ts';
import { areLengths, Value } from './audit-value.tsx';
import classes from './settings.module.css';

type Props = { row: AuditRow; place: Target | undefined; name: string };

export default function AuditPeek({ row, place, name }: Props) {
  const t = useText('settings');
  const named = useText('audit');
  const { exact } = useFormats();
  const who = row.user || (row.key && named('auditKey', { key: row.key })) || named('auditOperator');
  const changes = netChanges(row.entries);
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
            {named('auditOpen')}
          </LinkButton>
        </div>
      )}
      {changes.length > 0 && <Changes changes={changes} />}
      <Facts
        label={named('auditEntries')}
        facts={row.entries.map((entry) => [exact(parseTime(entry.at)!), <Given key={entry.id} entry={entry} />])}
      />
    </Stack>
  );
}

function Changes({ changes }: { changes: readonly Change[] }) {
  const named = useText('audit');
  return (
    <section aria-label={named('auditChanges')}>
      <Title order={3} size="h5" mb="xs">
        {named('auditChanges')}
      </Title>
      <dl className={classes.changes}>
        {changes.map((change) => (
          <div key={change.name}>
            <dt>
              <FieldName name={change.name} />
            </dt>
            {areLengths(change) ? (
              <dd>{named('auditChanged')}</dd>
            ) : (
              <>
                <dd>
                  <span className={classes.way}>{named('auditBefore')}</span>
                  <Value text={change.before} length={change.before_length} />
                </dd>
                <dd>
                  <span className={classes.way}>{named('auditAfter')}</span>
                  <Value text={change.after} length={change.after_length} />
                </dd>
              </>
            )}
          </div>
        ))}
      </dl>
    </section>
  );
}

function FieldName({ name }: { name: string }) {
  const t = useText('audit');
  return t.of('field', name);
}

/** The names of what changed; without any, what was given. */
function Given({ entry: { detail, changes, method, subject } }: { entry: Entry }) {
  const t = useText('audit');
  if (changes.length > 0) return changes.map(({ name }) => t.of('field', name)).join(', ');
  const given = Object.entries(detail)
    .filter(([, value]) => value !== subject)
    .map(([member, value]) => `${member}: ${value}`);
  return given.join('\n') || t.of('did', method);
}

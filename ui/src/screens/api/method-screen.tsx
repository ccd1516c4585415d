// A method in three columns: all methods; its purpose, parameters, a form to try it with the browser's session, and faults; code.
import { Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { Facts } from '../../parts/facts/facts.tsx';
import { Lines, Loaded } from '../../parts/loaded.tsx';
import { Page, PageHeader, Section } from '../../parts/page.tsx';
import { Tag } from '../../parts/status/tag.tsx';
import { NotFound } from '../../shell/not-found.tsx';
import { useText } from '../../text/use-text.tsx';
import { useFilled } from './account-values.ts';
import classes from './columns.module.css';
import { MethodList } from './method-list.tsx';
import { type Operation, referenceQuery, type Schema, typeOf } from './reference.ts';
import { Samples } from './samples-part.tsx';
import { TryIt } from './try-it.tsx';

export function MethodScreen() {
  const t = useText('api');
  const { method } = useParams({ strict: false }) as { method: string };
  const answer = useQuery(referenceQuery);
  if (!answer.data)
    return (
      <Page>
        <PageHeader title={method} back={{ to: '/api', label: t('title') }} />
        <Loaded query={answer}>{() => null}</Loaded>
      </Page>
    );
  const { operations, server } = answer.data;
  const operation = operations.find((candidate) => candidate.name === method);
  if (!operation) return <NotFound />;
  return (
    <Page>
      <PageHeader
        title={operation.name}
        back={{ to: '/api', label: t('title') }}
        description={operation.summary}
        status={
          <Group gap="xs">
            <Tag>
              {t('needs', {
                permissions: operation.permissions.map((some) => some.join(` ${t('needsOr')} `)).join(', '),
              })}
            </Tag>
            {operation.person && <Tag>{t('usersOnly')}</Tag>}
          </Group>
        }
      />
      <div className={classes.frame}>
        <div className={classes.columns}>
          <MethodList operations={operations} current={method} />
          <Shown key={method} operation={operation} server={server} />
        </div>
      </div>
    </Page>
  );
}

/** What the method does and a form to try it in the middle; at the side the code, which stays while one reads. */
function Shown({ operation, server }: { operation: Operation; server: string }) {
  const t = useText('api');
  const example = useFilled(operation.name, operation.example);
  const [tried, setTried] = useState<Record<string, unknown>>();
  const params = tried ?? example;
  return (
    <>
      <Stack gap="xl">
        {operation.description !== '' && <Text>{operation.description}</Text>}
        <Section title={t('params')}>
          <Members label={t('params')} schema={operation.params} />
        </Section>
        <Section title={t('tryIt')} description={t('tryItAbout')}>
          {example ? <TryIt operation={operation} example={example} onParams={setTried} /> : <Lines />}
        </Section>
        <Section title={t('returns')} description={typeOf(operation.returns)}>
          <Members label={t('returns')} schema={operation.returns.items ?? operation.returns} />
        </Section>
        <Section title={t('faults')}>
          <Facts label={t('faults')} facts={operation.faults.map(({ status, text }) => [`HTTP ${status}`, text])} />
        </Section>
      </Stack>
      <div className={classes.code}>
        {!operation.person && params && (
          <Section title={t('samples')}>
            <Samples server={server} method={operation.name} params={params} />
          </Section>
        )}
      </div>
    </>
  );
}

/** The members of a struct, including nested ones. */
function Members({ label, schema }: { label: string; schema: Schema }) {
  const t = useText('api');
  const rows = membersOf(schema, '');
  if (rows.length === 0) return <Text c="dimmed">{t('noParams')}</Text>;
  return (
    <Facts
      label={label}
      facts={rows.map(({ path, type, required, schema: member }) => [
        <div key={path}>
          <Text ff="monospace" size="sm" c="var(--mantine-color-text)">
            <Breakable path={path} />
          </Text>
          {type}
          {required && ` · ${t('required')}`}
          {member.default !== undefined && ` · ${t('default', { value: JSON.stringify(member.default) })}`}
        </div>,
        <div key={path}>
          {member.description}
          {member.enum && (
            <Text size="xs" c="dimmed">
              {member.enum.join(' · ')}
            </Text>
          )}
        </div>,
      ])}
    />
  );
}

/** A path that breaks between its names and their words, where it must. */
function Breakable({ path }: { path: string }) {
  const parts = path.split(/(?<=[._])/);
  const isNested = path.includes('.');
  return parts.map((part, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a path do not move
    <Text key={at} span inherit c={isNested && part.endsWith('.') ? 'dimmed' : undefined}>
      {part}
      {at < parts.length - 1 && <wbr />}
    </Text>
  ));
}

type Member = { path: string; type: string; required: boolean; schema: Schema };

function membersOf(schema: Schema, prefix: string): Member[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const path = `${prefix}${name}`;
    const inner = member.items?.properties ? member.items : member;
    const required = schema.required?.includes(name) ?? false;
    return [{ path, type: typeOf(member), required, schema: member }, ...membersOf(inner, `${path}.`)];
  });
}

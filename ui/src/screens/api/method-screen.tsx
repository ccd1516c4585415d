// A method: its purpose, parameters, a form to try it with the browser's session, code samples and faults.
import { Badge, Group, Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { Loaded } from '../../parts/loaded.tsx';
import { Page, PageHeader, Section } from '../../parts/page.tsx';
import { NotFound } from '../../shell/not-found.tsx';
import { useText } from '../../text/use-text.tsx';
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
  const operation = answer.data.operations.find((candidate) => candidate.name === method);
  return operation ? <Shown key={method} operation={operation} server={answer.data.server} /> : <NotFound />;
}

function Shown({ operation, server }: { operation: Operation; server: string }) {
  const t = useText('api');
  const [params, setParams] = useState(operation.example);
  return (
    <Page>
      <PageHeader
        title={operation.name}
        back={{ to: '/api', label: t('title') }}
        description={operation.summary}
        status={
          <Group gap="xs">
            <Badge variant="default" tt="none">
              {t('needs', { scope: t.of('scope', operation.scope) })}
            </Badge>
            {operation.person && (
              <Badge variant="default" tt="none">
                {t('usersOnly')}
              </Badge>
            )}
          </Group>
        }
      />
      {operation.description !== '' && <Text maw={760}>{operation.description}</Text>}
      <Section title={t('params')}>
        <Members schema={operation.params} />
      </Section>
      <Section title={t('tryIt')} description={t('tryItAbout')}>
        <TryIt operation={operation} onParams={setParams} />
      </Section>
      {!operation.person && (
        <Section title={t('samples')} description={t('samplesAbout')}>
          <Samples server={server} method={operation.name} params={params} />
        </Section>
      )}
      <Section title={t('returns')} description={typeOf(operation.returns)}>
        <Members schema={operation.returns.items ?? operation.returns} />
      </Section>
      <Section title={t('faults')}>
        <Stack gap="xs">
          {operation.faults.map(({ status, text }) => (
            <Text key={status} size="sm">
              <Text span fw={500} inherit>
                HTTP {status}
              </Text>{' '}
              {text}
            </Text>
          ))}
        </Stack>
      </Section>
    </Page>
  );
}

/** The members of a struct, including nested ones. */
function Members({ schema }: { schema: Schema }) {
  const t = useText('api');
  const rows = membersOf(schema, '');
  if (rows.length === 0) return <Text c="dimmed">{t('noParams')}</Text>;
  return (
    <Table layout="fixed" aria-label={t('params')}>
      <Table.Tbody>
        {rows.map(({ path, type, required, schema: member }) => (
          <Table.Tr key={path}>
            <Table.Th scope="row" w="34%" style={{ verticalAlign: 'top', overflowWrap: 'anywhere' }}>
              <Text ff="monospace" size="sm">
                {path}
              </Text>
              <Text size="xs" c="dimmed" fw={400}>
                {type}
                {required && ` · ${t('required')}`}
                {member.default !== undefined && ` · ${t('default', { value: JSON.stringify(member.default) })}`}
              </Text>
            </Table.Th>
            <Table.Td style={{ overflowWrap: 'anywhere' }}>
              {member.description}
              {member.enum && (
                <Text size="xs" c="dimmed">
                  {member.enum.join(' · ')}
                </Text>
              )}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
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

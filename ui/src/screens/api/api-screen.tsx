// All methods of the API by group: search first, how to call them, and the list.
import { Anchor, Code, Group, Stack, Text, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { publicPath } from '../../api/base-path.ts';
import { Copy } from '../../parts/copy.tsx';
import { LinkAnchor } from '../../parts/link.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Page, PageHeader, Section } from '../../parts/page.tsx';
import { Tag } from '../../parts/status/tag.tsx';
import { useTableSearch } from '../../parts/table/table-search.ts';
import { useSession } from '../../session/session.ts';
import { useText } from '../../text/use-text.tsx';
import { type Operation, type Reference, referenceQuery, searched } from './reference.ts';

export function ApiScreen() {
  const t = useText('api');
  const answer = useQuery(referenceQuery);
  return (
    <Page>
      <PageHeader title={t('title')} description={t('about')} />
      <Loaded query={answer}>{(reference) => <Methods reference={reference} />}</Loaded>
    </Page>
  );
}

function Methods({ reference }: { reference: Reference }) {
  const t = useText('api');
  const search = useTableSearch();
  const found = searched(reference.operations, search.q);
  const groups = [...new Set(found.map(({ group }) => group))];
  const nameOf = (group: string) => t.of('group', group);
  return (
    <Stack gap="xl">
      <Stack gap="sm">
        <TextInput
          type="search"
          aria-label={t('search')}
          placeholder={t('search')}
          leftSection={<IconSearch size={16} aria-hidden />}
          maw={420}
          defaultValue={search.q}
          onChange={({ currentTarget: { value } }) => search.change({ q: value || undefined })}
        />
        <Text size="sm" c="dimmed" role="status">
          {t('count', { count: found.length })}
        </Text>
        {groups.length > 1 && (
          <Group component="nav" aria-label={t('groups')} gap="xs">
            {groups.map((group) => (
              <Anchor key={group} href={`#${group}`} size="sm" underline="always" py={2} pe="xs">
                {nameOf(group)}
              </Anchor>
            ))}
          </Group>
        )}
      </Stack>
      {search.q === '' && <Doors server={reference.server} />}
      {groups.map((group) => (
        <Section key={group} id={group} title={nameOf(group)}>
          <Stack gap={0} component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
            {found
              .filter((operation) => operation.group === group)
              .map((operation) => (
                <MethodRow key={operation.name} operation={operation} />
              ))}
          </Stack>
        </Section>
      ))}
    </Stack>
  );
}

function MethodRow({ operation }: { operation: Operation }) {
  const t = useText('api');
  return (
    <li style={{ borderTop: '1px solid var(--line)', padding: '10px 0' }}>
      <Group gap="sm">
        <LinkAnchor to="/api/$method" params={{ method: operation.name }} fw={500} c="inherit" ff="monospace">
          {operation.name}
        </LinkAnchor>
        {operation.person && <Tag>{t('usersOnly')}</Tag>}
      </Group>
      <Text size="sm" c="dimmed">
        {operation.summary}
      </Text>
    </li>
  );
}

/** The endpoints. */
function Doors({ server }: { server: string }) {
  const t = useText('api');
  const { may } = useSession();
  const doors: [string, string][] = [
    ['JSON', `POST ${server}/api/METHOD`],
    ['XML-RPC', `POST ${server}/xmlrpc`],
    [t('formPost'), `POST ${server}/?output=json&method=METHOD`],
    ['OpenAPI 3.1', `${server}/api/openapi.json`],
  ];
  return (
    <Section
      title={t('doors')}
      description={
        <>
          {t('doorsAbout')}{' '}
          <Anchor href={publicPath('/docs/')} underline="always">
            {t('documentation')}
          </Anchor>{' '}
          {may('account:admin') && (
            <LinkAnchor to="/settings/keys" underline="always">
              {t('createKey')}
            </LinkAnchor>
          )}
        </>
      }
    >
      <Stack gap="xs">
        {doors.map(([name, address]) => (
          <Group key={name} gap="sm" wrap="nowrap">
            <Text w={110} style={{ flexShrink: 0 }}>
              {name}
            </Text>
            <Code style={{ overflowWrap: 'anywhere' }}>{address}</Code>
            <Copy value={address.replace(/^POST /, '')} label={name} />
          </Group>
        ))}
      </Stack>
    </Section>
  );
}

// The identity providers that the settings of the installation name, with what is registered there. Nothing is shown where there
// are none.
import { Code, Group, Text } from '@mantine/core';
import type { ResultOf } from '../../../api/types.ts';
import { useMethod } from '../../../api/use-method.ts';
import { Copy } from '../../../parts/copy.tsx';
import { Section } from '../../../parts/page.tsx';
import { type Column, Rows } from '../../../parts/table/rows.tsx';
import { useText } from '../../../text/use-text.tsx';

type Provider = ResultOf<'identities'>['providers'][number];

export function Providers() {
  const t = useText('settings');
  const { data } = useMethod('identities');
  const rows = data?.providers.filter(({ provider }) => provider !== '') ?? [];
  if (!data || rows.length === 0) return null;
  const columns: Column<Provider>[] = [
    {
      name: 'provider',
      title: t('provider'),
      width: '30%',
      cell: ({ label, issuer }) => (
        <>
          <Text fw={500}>{label}</Text>
          <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            {issuer}
          </Text>
        </>
      ),
    },
    {
      name: 'redirect',
      title: t('redirectUri'),
      cell: ({ redirect_uri }) => (
        <Group gap="xs" wrap="nowrap">
          <Code style={{ overflowWrap: 'anywhere' }}>{redirect_uri}</Code>
          <Copy value={redirect_uri} label={t('redirectUri')} />
        </Group>
      ),
    },
  ];
  return (
    <Section title={t('providers')} description={t('providersAbout')}>
      <Rows
        label={t('providers')}
        columns={columns}
        rows={rows}
        keyOf={({ issuer }) => issuer}
        nameOf={({ label }) => label}
        empty={null}
      />
      <Text size="sm" c="dimmed">
        {t(data.password_sign_in ? 'passwordSignInOn' : 'passwordSignInOff')}
      </Text>
    </Section>
  );
}

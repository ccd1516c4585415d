// The email clients and devices of those who opened or clicked.
import { SimpleGrid } from '@mantine/core';
import { useMethod } from '../../../api/use-method.ts';
import { Section } from '../../../parts/page.tsx';
import { Shares } from '../../../parts/shares/shares.tsx';
import { useText } from '../../../text/use-text.tsx';

/** The rest is summed up. */
const shown = 6;

export function Clients({ cid }: { cid: string }) {
  const t = useText('report');
  const { data } = useMethod('campaignClients', { cid });
  if (!data || data.devices.length === 0) return null;
  const named = data.clients.filter(({ name }) => name !== '');
  const others = [...data.clients.filter(({ name }) => name === ''), ...named.slice(shown)];
  const rest = others.reduce((sum, { people }) => sum + people, 0);
  return (
    <Section title={t('clients')} description={t('clientsAbout')}>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="xl">
        <Shares
          label={t('client')}
          rows={[
            ...named.slice(0, shown).map(({ name, people }) => ({ name, count: people })),
            ...(rest > 0 ? [{ name: t('otherClients'), count: rest }] : []),
          ]}
        />
        <Shares
          label={t('device')}
          rows={data.devices.map(({ name, people }) => ({ name: t.of('device', name), count: people }))}
        />
      </SimpleGrid>
    </Section>
  );
}

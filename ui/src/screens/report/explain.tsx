// Why a contact did or did not receive the campaign: everything about one address in it.
import { Alert, Button, Group, Stack, Table, Text, TextInput } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useMethod } from '../../api/use-method.ts';
import { FaultNote } from '../../parts/fault.tsx';
import { parseTime, useFormats } from '../../parts/formats.ts';
import { Lines } from '../../parts/loaded.tsx';
import { Section } from '../../parts/page.tsx';
import { useText } from '../../text/use-text.tsx';
import type { Campaign } from './campaign.ts';

export function Explain({ campaign }: { campaign: Campaign }) {
  const t = useText('report');
  const navigate = useNavigate();
  const { email = '' } = useSearch({ strict: false }) as { email?: string };
  const [typed, setTyped] = useState(email);
  return (
    <Section title={t('explainTitle')} description={t('explainAbout')}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          navigate({ to: '.', search: { tab: 'explain', email: typed.trim() } as never, replace: true });
        }}
      >
        <Group align="flex-end" gap="sm">
          <TextInput
            label={t('address')}
            type="email"
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            flex="1 1 220px"
            maw={400}
            required
            withAsterisk={false}
          />
          <Button type="submit">{t('explain')}</Button>
        </Group>
      </form>
      {email !== '' && <Answer cid={campaign.id} email={email} />}
    </Section>
  );
}

function Answer({ cid, email }: { cid: string; email: string }) {
  const t = useText('report');
  const formats = useFormats();
  const { data, error } = useMethod('campaignExplain', { cid, email });
  if (error) return <FaultNote error={error} />;
  if (!data) return <Lines count={2} />;
  const outcome = t.of('outcome', data.outcome.replace(' ', '_'));
  return (
    <Stack>
      <Alert
        variant="outline"
        color={data.outcome === 'accepted' ? 'teal' : 'gray'}
        title={`${data.email}: ${outcome}`}
        styles={{ title: { color: 'var(--mantine-color-text)' } }}
        role="status"
      >
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {formats.localTimes(data.explanation)}
        </Text>
      </Alert>
      {data.deliveries.map((delivery) => (
        <Table
          key={`${delivery.list_id} ${delivery.occasion}`}
          aria-label={t('deliveryOf', { email: data.email })}
          maw={640}
        >
          <Table.Tbody>
            <Fact name={t('attempts')}>{delivery.attempts}</Fact>
            {delivery.occasion && <Fact name={t('occasion')}>{delivery.occasion}</Fact>}
            <Fact name={t('firstTry')}>
              <Exact at={delivery.first_time} />
            </Fact>
            {delivery.next_time && (
              <Fact name={t('nextTry')}>
                <Exact at={delivery.next_time} />
              </Fact>
            )}
            <Fact name={t('lastChange')}>
              <Exact at={delivery.done_time} />
            </Fact>
            {delivery.reply && (
              <Fact name={t('said')}>
                {delivery.reply_code || ''} {delivery.reply}
              </Fact>
            )}
          </Table.Tbody>
        </Table>
      ))}
    </Stack>
  );
}

function Exact({ at }: { at: string }) {
  const { dateTime } = useFormats();
  const time = parseTime(at);
  return time ? <time dateTime={time.toISOString()}>{dateTime(time)}</time> : '–';
}

function Fact({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <Table.Tr>
      <Table.Th scope="row" w="35%">
        {name}
      </Table.Th>
      <Table.Td style={{ overflowWrap: 'anywhere' }}>{children}</Table.Td>
    </Table.Tr>
  );
}

// Why a contact did or did not receive the campaign: everything about one address in it.
import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useMethod } from '../../api/use-method.ts';
import { Facts } from '../../parts/facts/facts.tsx';
import { FaultNote } from '../../parts/fault.tsx';
import { parseTime, useFormats } from '../../parts/formats.ts';
import { Lines } from '../../parts/loaded.tsx';
import { Section } from '../../parts/page.tsx';
import { useText } from '../../text/use-text.tsx';
import type { Campaign } from './campaign.ts';

export default function Explain({ campaign }: { campaign: Campaign }) {
  const t = useText('report');
  const navigate = useNavigate();
  const { email = '' } = useSearch({ strict: false }) as { email?: string };
  const [typed, setTyped] = useState(email);
  return (
    <Section title={t('explainTitle')} description={t('explainAbout')}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          navigate({ to: '.', search: { tab: 'explain', email: typed.trim() }, replace: true });
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
        <Facts
          key={`${delivery.list_id} ${delivery.occasion}`}
          label={t('deliveryOf', { email: data.email })}
          facts={[
            [t('attempts'), delivery.attempts],
            ...(delivery.occasion ? [[t('occasion'), delivery.occasion] as const] : []),
            [t('firstTry'), <Exact key="first" at={delivery.first_time} />],
            ...(delivery.next_time ? [[t('nextTry'), <Exact key="next" at={delivery.next_time} />] as const] : []),
            [t('lastChange'), <Exact key="last" at={delivery.done_time} />],
            ...(delivery.reply ? [[t('said'), `${delivery.reply_code || ''} ${delivery.reply}`] as const] : []),
          ]}
        />
      ))}
    </Stack>
  );
}

function Exact({ at }: { at: string }) {
  const { dateTime } = useFormats();
  const time = parseTime(at);
  return time ? <time dateTime={time.toISOString()}>{dateTime(time)}</time> : '–';
}

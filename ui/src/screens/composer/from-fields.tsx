// The name and address in From: one of the account's senders, or typed. What to do shows beside a sender whose domain is
// not authenticated.
import { NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { ResultOf } from '../../api/types.ts';
import { useMethod } from '../../api/use-method.ts';
import { LinkAnchor } from '../../parts/link.tsx';
import { useSession } from '../../session/session.ts';
import { useText } from '../../text/use-text.tsx';
import { TagField } from './content/merge-tags.tsx';
import { useDraft } from './draft.tsx';

type Sender = ResultOf<'senders'>[number];

const same = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();

export function FromFields() {
  const t = useText('composer');
  const { values, change, fault, fixed } = useDraft();
  const { account } = useSession();
  const { data: senders = [] } = useMethod('senders');
  const [typing, setTyping] = useState(false);
  const address = values.sender || account.email;
  const match = senders.find(({ name, email }) => name === values.from_name && same(email, address));
  const chosen = typing ? undefined : match;
  if (senders.length === 0) return <TypedFields />;
  const choose = (id: string) => {
    const sender = senders.find((row) => row.id === id);
    setTyping(sender === undefined);
    if (sender) change({ from_name: sender.name, sender: same(sender.email, account.email) ? '' : sender.email });
  };
  return (
    <Stack gap="sm">
      <NativeSelect
        label={t('from')}
        name="sender_id"
        data={[
          ...senders.map(({ id, name, email }) => ({ value: id, label: `${name} <${email}>` })),
          { value: '', label: t('fromOther') },
        ]}
        value={chosen?.id ?? ''}
        onChange={(event) => choose(event.currentTarget.value)}
        error={chosen && (fault('sender') ?? fault('from_name'))}
        disabled={fixed}
      />
      {chosen ? <Advice sender={chosen} /> : <TypedFields />}
    </Stack>
  );
}

function Advice({ sender: { advice, domain, domain_status } }: { sender: Sender }) {
  const t = useText('composer');
  if (advice === '') return null;
  return (
    <Text size="xs" c="dimmed">
      {advice}{' '}
      <LinkAnchor
        {...(domain_status === 'none'
          ? { to: '/settings/senders' }
          : { to: '/settings/domains/$domain', params: { domain } })}
        inherit
        underline="always"
      >
        {t(domain_status === 'none' ? 'fromManage' : 'fromDomain')}
      </LinkAnchor>
    </Text>
  );
}

function TypedFields() {
  const t = useText('composer');
  const { values, change, fault, fixed } = useDraft();
  const { account } = useSession();
  return (
    <Stack gap="md">
      <TagField
        label={t('fromName')}
        name="from_name"
        value={values.from_name}
        onText={(from_name) => change({ from_name })}
        error={fault('from_name')}
        disabled={fixed}
      />
      <TextInput
        label={t('sender')}
        name="sender"
        description={account.plan === 'pro' ? undefined : t('senderPro')}
        type="email"
        placeholder={account.email}
        value={values.sender}
        onChange={(event) => change({ sender: event.currentTarget.value })}
        error={fault('sender')}
        disabled={fixed || account.plan !== 'pro'}
      />
    </Stack>
  );
}

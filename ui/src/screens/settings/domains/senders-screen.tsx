// The senders: names and addresses that campaigns and lists choose from, the state of the domain of each and what to do
// about it; adding, changing and deleting one.
import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { IconAt, IconPlus } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { ResultOf } from '../../../api/types.ts';
import { useMethod, useMutate } from '../../../api/use-method.ts';
import { confirm } from '../../../parts/confirm/confirm.tsx';
import { Empty } from '../../../parts/empty.tsx';
import { MethodForm, Submit, useMethodForm } from '../../../parts/form/form.tsx';
import { LinkAnchor } from '../../../parts/link.tsx';
import { Modal } from '../../../parts/modal.tsx';
import { Status, type Tone } from '../../../parts/status/status.tsx';
import { type Column, Rows } from '../../../parts/table/rows.tsx';
import { toast } from '../../../parts/toast/toast.tsx';
import { useSession } from '../../../session/session.ts';
import { useText } from '../../../text/use-text.tsx';
import { SettingsFrame } from '../frame.tsx';

type Sender = ResultOf<'senders'>[number];

const tones: Record<Sender['domain_status'], Tone> = {
  none: 'waiting',
  pending: 'waiting',
  active: 'good',
  broken: 'bad',
};

export function SendersScreen() {
  const t = useText('settings');
  const { may } = useSession();
  const answer = useMethod('senders');
  const [open, setOpen] = useState<'add' | Sender>();
  const add = may('sending:write') && (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setOpen('add')}>
      {t('senderAdd')}
    </Button>
  );
  const columns: Column<Sender>[] = [
    {
      name: 'sender',
      title: t('senderColumn'),
      width: '220px',
      cell: ({ name, email }) => (
        <>
          <Text fw={500}>{name}</Text>
          <Text size="xs" c="dimmed">
            {email}
          </Text>
        </>
      ),
    },
    { name: 'domain', title: t('senderDomain'), cell: (sender) => <DomainOf sender={sender} /> },
    { name: 'used', title: t('senderUsed'), width: '150px', cell: (sender) => <Uses sender={sender} /> },
    ...(may('sending:write')
      ? [
          {
            name: 'actions',
            title: t('senderActions'),
            width: '180px',
            cell: (sender: Sender) => <Actions sender={sender} onChange={() => setOpen(sender)} />,
          },
        ]
      : []),
  ];
  return (
    <SettingsFrame section="senders" description={t('sendersAbout')} actions={add}>
      <Rows
        label={t('section.senders')}
        compact
        columns={columns}
        rows={answer.data}
        keyOf={({ id }) => id}
        nameOf={({ name }) => name}
        query={answer}
        empty={<Empty icon={IconAt} title={t('sendersEmptyTitle')} text={t('sendersEmptyText')} action={add} />}
      />
      <Modal
        opened={open !== undefined}
        onClose={() => setOpen(undefined)}
        title={open === 'add' ? t('senderAdd') : t('senderEdit')}
      >
        {open === 'add' && <Add onDone={() => setOpen(undefined)} />}
        {open !== undefined && open !== 'add' && <Change sender={open} onDone={() => setOpen(undefined)} />}
      </Modal>
    </SettingsFrame>
  );
}

/** The state of the domain, and what to do about it. */
function DomainOf({ sender: { domain, domain_status, advice } }: { sender: Sender }) {
  const t = useText('settings');
  const { may } = useSession();
  const navigate = useNavigate();
  const add = useMutate('senderDomainCreate');
  const place = { to: '/settings/domains/$domain', params: { domain } } as const;
  const setUp = async () => {
    try {
      await add.mutateAsync({ domain });
      await navigate(place);
    } catch (error) {
      toast.failed(error);
    }
  };
  return (
    <Stack gap={4} align="flex-start">
      <Status tone={tones[domain_status]}>{t(`senderState.${domain_status}`)}</Status>
      {advice !== '' && (
        <Text size="xs" c="dimmed" ta="start">
          {advice}
        </Text>
      )}
      {domain_status === 'none' && may('sending:write') && (
        <Button variant="default" size="xs" loading={add.isPending} onClick={setUp}>
          {t('senderDomainCreate', { domain })}
        </Button>
      )}
      {(domain_status === 'pending' || domain_status === 'broken') && (
        <LinkAnchor {...place} size="xs">
          {t('senderDomainOpen', { domain })}
        </LinkAnchor>
      )}
    </Stack>
  );
}

function Uses({ sender: { lists, campaigns } }: { sender: Sender }) {
  const t = useText('settings');
  const uses = [
    ...(lists > 0 ? [t('senderLists', { count: lists })] : []),
    ...(campaigns > 0 ? [t('senderCampaigns', { count: campaigns })] : []),
  ];
  return (
    <Text size="sm" c={uses.length === 0 ? 'dimmed' : undefined}>
      {uses.join(', ') || t('senderUnused')}
    </Text>
  );
}

function Actions({ sender, onChange }: { sender: Sender; onChange(): void }) {
  const t = useText('settings');
  const destroy = useMutate('senderDelete');
  const { id, name } = sender;
  const remove = async () => {
    const yes = await confirm({
      title: t('senderRemoveTitle', { name }),
      text: t('senderRemoveText'),
      action: t('senderRemove'),
      danger: true,
    });
    if (!yes) return;
    try {
      await destroy.mutateAsync({ id });
      toast.done(t('senderRemoved', { name }));
    } catch (error) {
      toast.failed(error);
    }
  };
  return (
    <Group gap="xs" wrap="nowrap">
      <Button variant="default" size="xs" aria-label={t('senderChangeOf', { name })} onClick={onChange}>
        {t('senderChange')}
      </Button>
      <Button variant="default" size="xs" aria-label={t('senderRemoveOf', { name })} onClick={remove}>
        {t('senderRemove')}
      </Button>
    </Group>
  );
}

function Add({ onDone }: { onDone(): void }) {
  const t = useText('settings');
  const { account } = useSession();
  const create = useMutate('senderCreate');
  const form = useMethodForm({
    initialValues: { name: account.company || account.name, email: '' },
    send: (values) => create.mutateAsync(values),
    done: () => {
      onDone();
      toast.done(t('senderAdded'));
    },
  });
  return (
    <MethodForm form={form}>
      <TextInput
        label={t('senderFromName')}
        description={t('senderFromNameHint')}
        maxLength={200}
        {...form.getInputProps('name')}
      />
      <TextInput
        label={t('senderFromEmail')}
        description={t('senderFromEmailHint')}
        type="email"
        maxLength={320}
        data-autofocus
        {...form.getInputProps('email')}
      />
      <Group justify="flex-end">
        <Submit form={form}>{t('senderAddConfirm')}</Submit>
      </Group>
    </MethodForm>
  );
}

function Change({ sender, onDone }: { sender: Sender; onDone(): void }) {
  const t = useText('settings');
  const update = useMutate('senderUpdate', ['list']);
  const { id } = sender;
  const form = useMethodForm({
    initialValues: { name: sender.name, email: sender.email },
    send: async (values) => {
      for (const name of ['name', 'email'] as const) {
        if (values[name] === sender[name]) continue;
        await update.mutateAsync({ id, name, value: values[name] });
      }
    },
    done: () => {
      onDone();
      toast.done(t('senderSaved'));
    },
  });
  return (
    <MethodForm form={form}>
      <TextInput label={t('senderFromName')} maxLength={200} data-autofocus {...form.getInputProps('name')} />
      <TextInput label={t('senderFromEmail')} type="email" maxLength={320} {...form.getInputProps('email')} />
      <Text c="dimmed">{t('senderEditHint')}</Text>
      <Group justify="flex-end">
        <Submit form={form}>{t('senderSave')}</Submit>
      </Group>
    </MethodForm>
  );
}

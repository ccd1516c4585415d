// The passkeys of the signed-in user: add, rename, remove. Without https or a host name there are none; then this says so only to
// users who have some.
import { Button, Group, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ResultOf } from '../../../api/types.ts';
import { invalidate, useMethod, useMutate } from '../../../api/use-method.ts';
import { confirm } from '../../../parts/confirm/confirm.tsx';
import { MethodForm, Submit, useMethodForm } from '../../../parts/form/form.tsx';
import { Loaded } from '../../../parts/loaded.tsx';
import { Modal } from '../../../parts/modal.tsx';
import { Section } from '../../../parts/page.tsx';
import { Tag } from '../../../parts/status/tag.tsx';
import { type Column, Rows } from '../../../parts/table/rows.tsx';
import { Time } from '../../../parts/time.tsx';
import { toast } from '../../../parts/toast/toast.tsx';
import { addPasskey, isCancelled, supportsPasskeys } from '../../../session/passkeys.ts';
import { useText } from '../../../text/use-text.tsx';
import { browserName } from './browser-name.ts';

type Passkey = ResultOf<'passkeys'>['passkeys'][number];

export function Passkeys() {
  const t = useText('settings');
  const answer = useMethod('passkeys');
  const [adding, setAdding] = useState(false);
  const [renamed, setRenamed] = useState<Passkey>();
  const canAdd = answer.data?.available === true && supportsPasskeys();
  return (
    <Section
      title={t('passkeys')}
      description={t('passkeysAbout')}
      actions={
        canAdd && (
          <Button variant="default" onClick={() => setAdding(true)}>
            {t('passkeyCreate')}
          </Button>
        )
      }
    >
      <Loaded query={answer}>
        {({ available, passkeys }) => (
          <>
            {!available && <Text c="dimmed">{t('passkeysUnavailable')}</Text>}
            {available && passkeys.length === 0 && <Text c="dimmed">{t('passkeysNone')}</Text>}
            {passkeys.length > 0 && <PasskeyRows rows={passkeys} onRename={setRenamed} />}
          </>
        )}
      </Loaded>
      <Modal opened={adding} onClose={() => setAdding(false)} title={t('passkeyCreate')}>
        <Add onDone={() => setAdding(false)} />
      </Modal>
      <Modal opened={renamed !== undefined} onClose={() => setRenamed(undefined)} title={t('passkeyRename')}>
        {renamed && <Rename passkey={renamed} onDone={() => setRenamed(undefined)} />}
      </Modal>
    </Section>
  );
}

function PasskeyRows({ rows, onRename }: { rows: Passkey[]; onRename(passkey: Passkey): void }) {
  const t = useText('settings');
  const columns: Column<Passkey>[] = [
    {
      name: 'name',
      title: t('passkeyName'),
      cell: ({ name, synced }) => (
        <Group gap="xs">
          <Text fw={500}>{name}</Text>
          {synced && <Tag>{t('passkeySynced')}</Tag>}
        </Group>
      ),
    },
    {
      name: 'used',
      title: t('lastUsed'),
      width: '140px',
      cell: ({ last_used_at }) => <Time at={last_used_at} never={t('never')} />,
    },
    { name: 'created', title: t('created'), width: '140px', cell: ({ created_at }) => <Time at={created_at} /> },
    {
      name: 'change',
      title: t('action'),
      width: '220px',
      cell: (passkey) => (
        <Group gap="xs" wrap="nowrap">
          <Button
            variant="default"
            size="xs"
            aria-label={t('passkeyRenameOf', { name: passkey.name })}
            onClick={() => onRename(passkey)}
          >
            {t('passkeyRenameShort')}
          </Button>
          <Remove passkey={passkey} />
        </Group>
      ),
    },
  ];
  return (
    <Rows
      label={t('passkeys')}
      columns={columns}
      rows={rows}
      keyOf={({ id }) => id}
      nameOf={({ name }) => name}
      empty={null}
    />
  );
}

function Add({ onDone }: { onDone(): void }) {
  const t = useText('settings');
  const client = useQueryClient();
  const form = useMethodForm({
    initialValues: { name: browserName(navigator.userAgent) || t('passkey') },
    validate: { name: (value) => (value.trim() === '' ? t('passkeyNameMissing') : null) },
    send: async ({ name }) => {
      try {
        await addPasskey(name.trim());
        return true;
      } catch (error) {
        if (isCancelled(error)) return false;
        if (error instanceof Error && error.name === 'InvalidStateError') {
          form.setFieldError('name', t('passkeyExists'));
          return false;
        }
        throw error;
      }
    },
    done: (isAdded) => {
      if (!isAdded) return;
      onDone();
      invalidate(client, ['passkey']);
      toast.done(t('passkeyAdded'));
    },
  });
  return (
    <MethodForm form={form}>
      <Text>{t('passkeyAddText')}</Text>
      <TextInput
        label={t('passkeyName')}
        description={t('passkeyNameHint')}
        maxLength={100}
        data-autofocus
        {...form.getInputProps('name')}
      />
      <Group justify="flex-end">
        <Submit form={form}>{t('next')}</Submit>
      </Group>
    </MethodForm>
  );
}

function Rename({ passkey, onDone }: { passkey: Passkey; onDone(): void }) {
  const t = useText('settings');
  const update = useMutate('passkeyUpdate');
  const form = useMethodForm({
    initialValues: { name: passkey.name },
    validate: { name: (value) => (value.trim() === '' ? t('passkeyNameMissing') : null) },
    send: ({ name }) => update.mutateAsync({ id: passkey.id, name: name.trim() }),
    done: onDone,
  });
  return (
    <MethodForm form={form}>
      <TextInput label={t('passkeyName')} maxLength={100} data-autofocus {...form.getInputProps('name')} />
      <Group justify="flex-end">
        <Submit form={form}>{t('save')}</Submit>
      </Group>
    </MethodForm>
  );
}

function Remove({ passkey: { id, name } }: { passkey: Passkey }) {
  const t = useText('settings');
  const remove = useMutate('passkeyDelete');
  const ask = async () => {
    const yes = await confirm({
      title: t('passkeyRemoveTitle', { name }),
      text: t('passkeyRemoveText'),
      action: t('passkeyDelete'),
      danger: true,
    });
    if (yes) remove.mutate({ id }, { onSuccess: () => toast.done(t('passkeyRemoved')), onError: toast.failed });
  };
  return (
    <Button variant="default" size="xs" aria-label={t('passkeyRemoveOf', { name })} onClick={ask}>
      {t('passkeyDelete')}
    </Button>
  );
}

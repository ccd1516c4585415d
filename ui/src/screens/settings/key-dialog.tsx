// The dialog that creates an API key, or changes one. Loaded when it opens.
import { Button, Checkbox, Group } from '@mantine/core';
import { useMutate } from '../../api/use-method.ts';
import { MethodForm, Submit, useMethodForm } from '../../parts/form/form.tsx';
import { Modal } from '../../parts/modal.tsx';
import { toast } from '../../parts/toast/toast.tsx';
import { useSession } from '../../session/session.ts';
import { useText } from '../../text/use-text.tsx';
import { freshKey, KeyFields, type KeyScope, optionsOf } from './key-fields.tsx';
import type { Key, MadeKey } from './keys-screen.tsx';

type Props = { edited: Key | undefined; onMade(made: MadeKey): void; onClose(): void };

export default function KeyDialog({ edited, onMade, onClose }: Props) {
  const t = useText('settings');
  const made = (key: MadeKey) => {
    onMade(key);
    onClose();
  };
  return (
    <Modal opened onClose={onClose} title={t(edited ? 'keyEditTitle' : 'keyCreate')}>
      {edited ? <Edit apiKey={edited} onDone={onClose} /> : <Create onDone={made} onCancel={onClose} />}
    </Modal>
  );
}

function Create({ onDone, onCancel }: { onDone(made: MadeKey): void; onCancel(): void }) {
  const t = useText('settings');
  const words = useText('parts');
  const { account } = useSession();
  const add = useMutate('apikeyAdd');
  const addTest = useMutate('testKeyCreate', ['session']);
  const form = useMethodForm({
    initialValues: { ...freshKey, test: false, apart: false },
    send: async ({ test, apart, ...values }): Promise<MadeKey> => {
      const { label } = values;
      if (!apart) return { label, key: await add.mutateAsync({ ...optionsOf(values), test }) };
      const { key, name } = await addTest.mutateAsync({ label });
      return { label, key, account: name };
    },
    done: (made) => onDone(made),
  });
  const { apart, test } = form.values;
  return (
    <MethodForm form={form}>
      <KeyFields form={form} labelOnly={apart} />
      {!account.test && !apart && (
        <Checkbox
          label={t('keyTest')}
          description={t('keyTestHint')}
          {...form.getInputProps('test', { type: 'checkbox' })}
        />
      )}
      {!account.test && !test && (
        <Checkbox
          label={t('keyTestAccount')}
          description={t('keyTestAccountHint')}
          {...form.getInputProps('apart', { type: 'checkbox' })}
        />
      )}
      <Group justify="flex-end" gap="sm">
        <Button variant="default" onClick={onCancel}>
          {words('cancel')}
        </Button>
        <Submit form={form}>{t('keyCreateConfirm')}</Submit>
      </Group>
    </MethodForm>
  );
}

function Edit({ apiKey, onDone }: { apiKey: Key; onDone(): void }) {
  const t = useText('settings');
  const words = useText('parts');
  const update = useMutate('apikeyUpdate');
  const form = useMethodForm({
    initialValues: {
      label: apiKey.label,
      scope: apiKey.scope as KeyScope,
      permissions: apiKey.permissions,
      expires_at: apiKey.expires_at.slice(0, 10),
      networks: apiKey.networks.join('\n'),
      calls_per_minute: apiKey.calls_per_minute || ('' as const),
      calls_at_once: apiKey.calls_at_once || ('' as const),
      allLists: apiKey.all_lists,
      lists: apiKey.lists,
    },
    send: ({ expires_at, ...values }) => {
      const { expires_at: _, ...options } = optionsOf({ ...values, expires_at });
      // The screen shows a day; a time within it stays.
      const isSame = expires_at === apiKey.expires_at.slice(0, 10);
      return update.mutateAsync({ key: apiKey.id, ...options, ...(isSame ? {} : { expires_at }) });
    },
    done: () => {
      toast.done(t('keySaved'));
      onDone();
    },
  });
  return (
    <MethodForm form={form}>
      <KeyFields form={form} />
      <Group justify="flex-end" gap="sm">
        <Button variant="default" onClick={onDone}>
          {words('cancel')}
        </Button>
        <Submit form={form}>{t('keySave')}</Submit>
      </Group>
    </MethodForm>
  );
}

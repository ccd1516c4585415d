// The dialog that creates an API key and shows it once, or changes one. Loaded when it opens.
import { Button, Checkbox, Code, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useMutate } from '../../api/use-method.ts';
import { Copy } from '../../parts/copy.tsx';
import { Foot } from '../../parts/form/foot.tsx';
import { MethodForm, Submit, useMethodForm } from '../../parts/form/form.tsx';
import { Modal } from '../../parts/modal.tsx';
import { toast } from '../../parts/toast/toast.tsx';
import { useSession } from '../../session/session.ts';
import { useText } from '../../text/use-text.tsx';
import { freshKey, KeyFields, type KeyScope, optionsOf } from './key-fields.tsx';
import type { Key } from './keys-screen.tsx';

type Props = { edited: Key | undefined; onClose(): void };

/** `account` has the name of the test account that the key is of. */
type MadeKey = { label: string; key: string; account?: string };

export default function KeyDialog({ edited, onClose }: Props) {
  const t = useText('settings');
  const [made, setMade] = useState<MadeKey>();
  const title = made
    ? t('keyCreatedTitle', { label: made.label || t('keyNoLabel') })
    : t(edited ? 'keyEditTitle' : 'keyCreate');
  return (
    // A click beside the dialog must not lose a key that is not shown again.
    <Modal opened onClose={onClose} title={title} closeOnClickOutside={made === undefined}>
      {made ? (
        <Made made={made} onDone={onClose} />
      ) : edited ? (
        <Edit apiKey={edited} onDone={onClose} />
      ) : (
        <Create onDone={setMade} onCancel={onClose} />
      )}
    </Modal>
  );
}

/** The key, the only time that it is shown. */
function Made({ made: { key, account }, onDone }: { made: MadeKey; onDone(): void }) {
  const t = useText('settings');
  return (
    <Stack gap="md" role="status">
      <Text size="sm">{t('keyCreatedText')}</Text>
      {account && <Text size="sm">{t('keyMadeOf', { name: account })}</Text>}
      <Group gap="sm" wrap="nowrap">
        <Code block p="xs" style={{ flex: 1, overflowWrap: 'anywhere', whiteSpace: 'normal' }}>
          {key}
        </Code>
        <Copy value={key} label={t('copyKey')} wide />
      </Group>
      <Foot>
        <Button data-autofocus onClick={onDone}>
          {t('keyStored')}
        </Button>
      </Foot>
    </Stack>
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
      <Foot>
        <Button variant="default" onClick={onCancel}>
          {words('cancel')}
        </Button>
        <Submit form={form}>{t('keyCreateConfirm')}</Submit>
      </Foot>
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
      <Foot>
        <Button variant="default" onClick={onDone}>
          {words('cancel')}
        </Button>
        <Submit form={form}>{t('keySave')}</Submit>
      </Foot>
    </MethodForm>
  );
}

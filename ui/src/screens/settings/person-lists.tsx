// The lists of a person, in the table of people: how many, and a dialog that changes them.
import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import type { ResultOf } from '../../api/types.ts';
import { useMutate } from '../../api/use-method.ts';
import { MethodForm, Submit, useMethodForm } from '../../parts/form/form.tsx';
import { Modal } from '../../parts/modal.tsx';
import { toast } from '../../parts/toast/toast.tsx';
import { useText } from '../../text/use-text.tsx';
import { ListsChoice, listsGiven } from './lists-choice.tsx';

type Person = ResultOf<'users'>[number];

export function PersonLists({ person, isFixed }: { person: Person; isFixed: boolean }) {
  const t = useText('settings');
  const [changing, setChanging] = useState(false);
  const name = person.name || person.email;
  const shown = person.all_lists ? t('allLists') : t('someLists', { count: person.lists.length });
  // An owner has all lists.
  if (person.role === 'owner') return null;
  if (isFixed)
    return (
      <Text size="xs" c="dimmed">
        {shown}
      </Text>
    );
  return (
    <>
      <Button
        variant="subtle"
        size="compact-xs"
        px={4}
        ms={-4}
        aria-label={t('listsOf', { name, lists: shown })}
        onClick={() => setChanging(true)}
      >
        {shown}
      </Button>
      <Modal opened={changing} onClose={() => setChanging(false)} title={t('listsTitle', { name })}>
        <Change person={person} onDone={() => setChanging(false)} />
      </Modal>
    </>
  );
}

function Change({ person, onDone }: { person: Person; onDone(): void }) {
  const t = useText('settings');
  const update = useMutate('userUpdate', ['session']);
  const form = useMethodForm({
    initialValues: { allLists: person.all_lists, lists: person.lists },
    send: (values) =>
      update.mutateAsync({ id: person.id, role: person.role, permissions: person.permissions, ...listsGiven(values) }),
    done: () => {
      toast.done(t('listsChanged', { name: person.name || person.email }));
      onDone();
    },
  });
  return (
    <MethodForm form={form}>
      <ListsChoice form={form} />
      <Group justify="flex-end">
        <Submit form={form}>{t('save')}</Submit>
      </Group>
    </MethodForm>
  );
}

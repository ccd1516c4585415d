// The button that adds a contact to a list; its dialog is loaded when it opens.
import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconUserPlus } from '@tabler/icons-react';
import { lazy, Suspense } from 'react';
import { useMethod } from '../../api/use-method.ts';
import { useShortcut } from '../../parts/keys.ts';
import { offeredLists } from '../../parts/labels/offered.ts';
import { useText } from '../../text/use-text.tsx';

const load = () => import('./add-member-dialog.tsx');
const AddMemberDialog = lazy(load);

export function AddMember({ list }: { list: string }) {
  const t = useText('lists');
  const [opened, { open, close }] = useDisclosure(false);
  useShortcut('c', t('addMember'), open);
  return (
    <>
      <Button leftSection={<IconUserPlus size={16} aria-hidden />} onClick={open} onPointerEnter={load}>
        {t('addMember')}
      </Button>
      <Suspense>{opened && <AddMemberDialog lists={[{ id: list, name: '' }]} opened onClose={close} />}</Suspense>
    </>
  );
}

/** Adds a contact from a page of all lists: with several, the list is chosen first. @param email filled in already */
export function AddContact({ email }: { email?: string }) {
  const t = useText('lists');
  const [opened, { open, close }] = useDisclosure(false);
  const answer = useMethod('lists', { limit: 1000 });
  const lists = offeredLists(answer.data ?? []);
  // Its room is kept while that is loading.
  if (!answer.isPending && lists.length === 0) return null;
  return (
    <>
      <Button
        variant="default"
        disabled={answer.isPending}
        leftSection={<IconUserPlus size={16} aria-hidden />}
        onClick={open}
        onPointerEnter={load}
      >
        {t('addMember')}
      </Button>
      <Suspense>{opened && <AddMemberDialog lists={lists} email={email} opened onClose={close} />}</Suspense>
    </>
  );
}

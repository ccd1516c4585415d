// The button that downloads the members as CSV; its form is loaded when it opens.
import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconDownload } from '@tabler/icons-react';
import { lazy, Suspense } from 'react';
import { BarredButton } from '../../parts/barred-button.tsx';
import { Lines } from '../../parts/loaded.tsx';
import { Modal } from '../../parts/modal.tsx';
import { useSession } from '../../session/session.ts';
import { useText } from '../../text/use-text.tsx';

const load = () => import('./export-form.tsx');
const ExportForm = lazy(load);

type Props = { list: { id: string; title: string } };

export function ExportButton({ list }: Props) {
  const t = useText('lists');
  const { may } = useSession();
  const { open, dialog } = useExport({ list });
  const icon = <IconDownload size={16} aria-hidden />;
  if (!may('contacts:export'))
    return (
      <BarredButton permission="contacts:export" leftSection={icon}>
        {t('export')}
      </BarredButton>
    );
  return (
    <>
      <Button variant="default" leftSection={icon} onClick={open} onPointerEnter={load}>
        {t('export')}
      </Button>
      {dialog}
    </>
  );
}

/** Opens the dialog that exports, from a button or a menu. */
export function useExport({ list }: Props) {
  const t = useText('lists');
  const [opened, { open, close }] = useDisclosure(false);
  const dialog = (
    <Modal
      opened={opened}
      onClose={close}
      title={t('exportTitle', { name: list.title })}
      closeButtonProps={{ 'aria-label': t('close') }}
    >
      <Suspense fallback={<Lines />}>
        <ExportForm list={list.id} onDone={close} />
      </Suspense>
    </Modal>
  );
  return { open, dialog };
}

// The button that shares the figures of a campaign; its dialog is loaded when it opens.
import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconShare } from '@tabler/icons-react';
import { lazy, Suspense } from 'react';
import { useText } from '../../text/use-text.tsx';
import type { Campaign } from './campaign.ts';

const load = () => import('./share-dialog.tsx');
const ShareDialog = lazy(load);

export function Share({ campaign }: { campaign: Campaign }) {
  const t = useText('report');
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button variant="default" leftSection={<IconShare size={16} aria-hidden />} onClick={open} onPointerEnter={load}>
        {t('shareReport')}
      </Button>
      <Suspense>{opened && <ShareDialog campaign={campaign} onClose={close} />}</Suspense>
    </>
  );
}

// Switches for a preview: desktop or phone, light or dark. The screen places the switches and passes their state to a
// MailFrame.
import { SegmentedControl } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useText } from '../../../text/use-text.tsx';
import type { Device } from './mail-frame.tsx';

export type PreviewLook = { device: Device; dark: boolean };

/** Use as <MailFrame {...look} … />; `switches` change it. */
export function usePreviewControls(): { look: PreviewLook; switches: ReactNode } {
  const t = useText('composer');
  const [device, setDevice] = useState<Device>('desktop');
  const [scheme, setScheme] = useState<'light' | 'dark'>('light');
  const switches = (
    <>
      <SegmentedControl
        aria-label={t('previewDevice')}
        data={[
          { value: 'desktop', label: t('desktop') },
          { value: 'phone', label: t('phone') },
        ]}
        value={device}
        onChange={setDevice}
      />
      <SegmentedControl
        aria-label={t('previewScheme')}
        data={[
          { value: 'light', label: t('light') },
          { value: 'dark', label: t('dark') },
        ]}
        value={scheme}
        onChange={setScheme}
      />
    </>
  );
  return { look: { device, dark: scheme === 'dark' }, switches };
}

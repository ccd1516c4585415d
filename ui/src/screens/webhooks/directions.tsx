// The two tabs of webhooks, each with its own address: events that are sent to others, and those that others post here.
import { Tabs } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { UrlTabs } from '../../parts/url-tabs.tsx';
import { useText } from '../../text/use-text.tsx';

const addresses = { outgoing: '/webhooks', incoming: '/webhooks/incoming' } as const;
type Direction = keyof typeof addresses;
const directions = ['outgoing', 'incoming'] as const satisfies readonly Direction[];

export function Directions({ open, children }: { open: Direction; children: ReactNode }) {
  const t = useText('webhooks');
  const navigate = useNavigate();
  return (
    <UrlTabs
      tabs={directions}
      open={open}
      labelOf={(direction) => t(direction)}
      onOpen={(direction) => navigate({ to: addresses[direction] })}
    >
      <Tabs.Panel value={open}>{children}</Tabs.Panel>
    </UrlTabs>
  );
}
